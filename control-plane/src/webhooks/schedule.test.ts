import { limits } from '@phonerack/shared'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { afterAttempt, type Attempted } from './schedule.js'

const now = new Date('2026-11-26T12:00:00Z')
const first: Attempted = {
  ...{ now, isDelivered: false, attemptOfRound: 1, isTest: false, failingSince: null, isDisabled: false },
}
const before = (seconds: number) => new Date(now.getTime() - seconds * 1000)

it('retries after 5 s, 1 min, 5 min, 30 min, 2 h, 6 h and 12 h, then has failed', () => {
  const waits = Array.from({ length: 8 }, (_, index) => {
    const { status, nextAttemptAt } = afterAttempt({ ...first, attemptOfRound: index + 1 })
    return nextAttemptAt ? (nextAttemptAt.getTime() - now.getTime()) / 1000 : status
  })
  expect(waits).toEqual([5, 60, 300, 1800, 7200, 21_600, 43_200, 'failed'])
})

it('switches a webhook off that has failed for three days, and not earlier', () => {
  const days = limits.webhooks.failingLife
  expect(afterAttempt({ ...first, failingSince: before(days - 1) })).toMatchObject({
    ...{ status: 'pending', switchesOff: false, failingSince: before(days - 1) },
  })
  expect(afterAttempt({ ...first, failingSince: before(days) })).toEqual({
    ...{ status: 'failed', nextAttemptAt: null, switchesOff: true, failingSince: before(days) },
  })
  expect(afterAttempt({ ...first, failingSince: before(days), isDisabled: true }).switchesOff).toBe(false)
})

it('sends a test once', () => {
  expect(afterAttempt({ ...first, isTest: true }).status).toBe('failed')
})

it('keeps its promises for any attempt', () => {
  const attempts = fc.record({
    now: fc.constant(now),
    isDelivered: fc.boolean(),
    attemptOfRound: fc.integer({ min: 1, max: 20 }),
    isTest: fc.boolean(),
    failingSince: fc.option(fc.nat(10 * 86_400).map(before)),
    isDisabled: fc.boolean(),
  })
  fc.assert(
    fc.property(attempts, (attempted) => {
      const { status, nextAttemptAt, failingSince, switchesOff } = afterAttempt(attempted)
      expect(status === 'pending').toBe(nextAttemptAt !== null)
      if (attempted.isDelivered)
        expect([status, failingSince, switchesOff]).toEqual(['succeeded', null, false])
      else expect(failingSince).toEqual(attempted.failingSince ?? now)
      if (nextAttemptAt) expect(nextAttemptAt > now).toBe(true)
      if (switchesOff || attempted.isDisabled) expect(status).not.toBe('pending')
    }),
  )
})
