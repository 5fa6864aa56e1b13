import { expect, test } from 'vitest'
import { actionBatchSchema, actionSchema, actionTypes, waitBudget } from './actions.js'

const ok = (action: unknown): boolean => actionSchema.safeParse(action).success
const tap = (target: unknown): boolean => ok({ type: 'tap', target })

test('a target has exactly one form', () => {
  expect(tap({ x: 1, y: 2 })).toBe(true)
  expect(tap({ text: 'OK', nth: 1 })).toBe(true)
  expect(tap({ id: 'ok' })).toBe(true)
  expect(tap({ desc: 'OK' })).toBe(true)
  expect(tap({ ref: 1, snapshot_id: 'snp_abcdefghijkl' })).toBe(true)
  expect(tap({ ref: 1 })).toBe(false)
  expect(tap({ text: 'OK', id: 'ok' })).toBe(false)
  expect(tap({ desc: 'OK', nth: 0 })).toBe(false)
  expect(tap({ x: 1 })).toBe(false)
  expect(tap({})).toBe(false)
})

test('every type refuses an undefined field', () => {
  for (const type of actionTypes) expect(ok({ type, surprise: 1 })).toBe(false)
})

test.each([
  [{ type: 'long_press', target: { x: 1, y: 1 } }, 'duration_ms', 300, 10_000],
  [{ type: 'swipe', from: { x: 1, y: 1 }, to: { x: 2, y: 2 } }, 'duration_ms', 50, 5000],
  [{ type: 'drag', from: { x: 1, y: 1 }, to: { x: 2, y: 2 } }, 'hold_ms', 100, 5000],
  [{ type: 'wait' }, 'ms', 1, 60_000],
  [{ type: 'wait_for', target: { text: 'a' } }, 'timeout_ms', 100, 60_000],
  [{ type: 'wait_idle' }, 'timeout_ms', 100, 30_000],
  [{ type: 'shell', command: 'id' }, 'timeout_ms', 100, 60_000],
  [{ type: 'scroll_to', target: { text: 'a' } }, 'max_scrolls', 1, 30],
] as const)('%j: %s from %d to %d', (action, field, min, max) => {
  for (const [value, allowed] of [
    [min - 1, false],
    [min, true],
    [max, true],
    [max + 1, false],
  ] as const) {
    expect(ok({ ...action, [field]: value })).toBe(allowed)
  }
})

test('text counts code points, not UTF-16 units', () => {
  expect(ok({ type: 'type', text: '👋'.repeat(10_000) })).toBe(true)
  expect(ok({ type: 'type', text: 'a'.repeat(10_001) })).toBe(false)
  expect(ok({ type: 'type', text: '' })).toBe(false)
})

test.each([
  ['https://example.com/a?b=c#d', true],
  ['http://[::1]:8080/', true],
  ['ftp://example.com', false],
  ['javascript:alert(1)', false],
  ['https://user:pass@example.com', false],
  ['not a url', false],
  [`https://example.com/${'a'.repeat(2048)}`, false],
])('open_url %s: %s', (url, allowed) => {
  expect(ok({ type: 'open_url', url })).toBe(allowed)
})

test('waits of a batch add up; a wait_for without a timeout counts 10 s', () => {
  const waits = (count: number) =>
    Array.from({ length: count }, () => ({ type: 'wait_for', target: { text: 'a' } }))
  expect(actionBatchSchema.safeParse({ actions: waits(6) }).success).toBe(true)
  expect(actionBatchSchema.safeParse({ actions: [...waits(6), { type: 'wait', ms: 1 }] }).success).toBe(false)
  const batch = actionBatchSchema.parse({ actions: [{ type: 'wait', ms: 5 }, { type: 'wait_idle' }] })
  expect(waitBudget(batch.actions)).toBe(5005)
  expect(batch.observe).toBe('ui')
})

test('the timeout of a shell command counts among the waits [44.3]', () => {
  const shell = (ms: number) => ({ type: 'shell', command: 'id', timeout_ms: ms })
  const batch = (...actions: object[]) => actionBatchSchema.safeParse({ actions })
  expect(batch(shell(50_000), { type: 'shell', command: 'id' }).success).toBe(true)
  expect(batch(shell(50_001), { type: 'shell', command: 'id' }).success).toBe(false)
})

test('one to twenty actions', () => {
  const backs = (count: number) => ({ actions: Array.from({ length: count }, () => ({ type: 'back' })) })
  expect(actionBatchSchema.safeParse(backs(0)).success).toBe(false)
  expect(actionBatchSchema.safeParse(backs(20)).success).toBe(true)
  expect(actionBatchSchema.safeParse(backs(21)).success).toBe(false)
})
