import { expect, it } from 'vitest'
import { isLoopback } from './loopback.js'

it.each([
  ['127.0.0.1', true],
  ['127.9.9.9', true],
  ['::1', true],
  ['localhost', true],
  ['0.0.0.0', false],
  ['::', false],
  ['10.0.0.1', false],
  ['::ffff:10.0.0.1', false],
  ['localhost.example.org', false],
  ['', false],
])('%s is reachable only from the same machine: %s', (address, expected) => {
  expect(isLoopback(address)).toBe(expected)
})
