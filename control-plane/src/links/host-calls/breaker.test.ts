import { expect, it } from 'vitest'
import { Breaker } from './breaker.js'

it('opens after consecutive failures, rests, and reopens at the next failure', () => {
  const breaker = new Breaker(3, 1000)
  breaker.failed(0)
  breaker.failed(0)
  breaker.succeeded()
  breaker.failed(0)
  breaker.failed(0)
  expect(breaker.allows(1)).toBe(true)
  breaker.failed(10)
  expect(breaker.allows(11)).toBe(false)
  expect(breaker.allows(1010)).toBe(true)
  breaker.failed(1020)
  expect(breaker.allows(1021)).toBe(false)
  breaker.succeeded()
  expect(breaker.allows(1022)).toBe(true)
})
