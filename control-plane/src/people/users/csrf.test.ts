import { randomBytes } from 'node:crypto'
import { expect, it } from 'vitest'
import { createCsrf } from './csrf.js'

it('accepts a token only with its cookie, its session and its key', () => {
  const csrf = createCsrf(randomBytes(32))
  const seed = csrf.newSeed()
  const token = csrf.tokenOf(seed, 'session')
  expect(csrf.isValid(token, seed, 'session')).toBe(true)
  expect(csrf.isValid(token, csrf.newSeed(), 'session')).toBe(false)
  expect(csrf.isValid(token, seed, 'other')).toBe(false)
  expect(csrf.isValid(token, seed, '')).toBe(false)
  expect(csrf.isValid(csrf.tokenOf('', ''), '', '')).toBe(false)
  expect(createCsrf(randomBytes(32)).isValid(token, seed, 'session')).toBe(false)
  // The parts are kept apart.
  expect(csrf.tokenOf('ab', 'c')).not.toBe(csrf.tokenOf('a', 'bc'))
})
