import { actionBatchSchema, limits, type Action } from '@phonerack/shared'
import { expect, it } from 'vitest'
import { createTyped, isCharacter, types } from './typed.js'

it('remembers for 15 minutes, per phone, that a text was typed', () => {
  let now = 0
  const typed = createTyped(() => now)
  expect(typed.isRecent('ph_a')).toBe(false)
  typed.note('ph_a')
  expect([typed.isRecent('ph_a'), typed.isRecent('ph_b')]).toEqual([true, false])
  now = limits.steps.typedLife - 1
  expect(typed.isRecent('ph_a')).toBe(true)
  now += 1
  expect(typed.isRecent('ph_a')).toBe(false)
})

it.each([
  [[{ type: 'type', text: 'secret' }], true],
  [[{ type: 'home' }, { type: 'key', key: '7' }], true],
  [[{ type: 'key', key: 'space' }], true],
  [[{ type: 'key', key: 'enter' }], false],
  [[{ type: 'tap', target: { text: 'OK' } }], false],
] as const)('the batch %j types: %s', (actions, expected) => {
  const parsed: readonly Action[] = actionBatchSchema.parse({ actions }).actions
  expect(types(parsed)).toBe(expected)
})

it('recognises keys with characters', () => {
  // 3: home, 4: back, 66: enter.
  expect([7, 29, 62, 144].map(isCharacter)).toEqual([true, true, true, true])
  expect([3, 4, 66].map(isCharacter)).toEqual([false, false, false])
})
