import { limits } from '@phonerack/shared'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { afterAttempt, noFailures, type Attempted, type Consequence, type Failures } from './schedule.js'

const now = new Date('2026-11-26T12:00:00Z')
const first: Attempted = {
  now,
  isDelivered: false,
  attemptOfRound: 1,
  isTest: false,
  isDisabled: false,
  ...noFailures,
}
const before = (seconds: number) => new Date(now.getTime() - seconds * 1000)
const { failingLife, failingPause, retries } = limits.webhooks

it('retries after 5 s, 1 min, 5 min, 30 min, 2 h, 6 h and 12 h, then has failed [41.34]', () => {
  const waits = Array.from({ length: 8 }, (_, index) => {
    const { status, nextAttemptAt } = afterAttempt({ ...first, attemptOfRound: index + 1 })
    return nextAttemptAt ? (nextAttemptAt.getTime() - now.getTime()) / 1000 : status
  })
  expect(waits).toEqual([5, 60, 300, 1800, 7200, 21_600, 43_200, 'failed'])
})

it('switches a webhook off that has failed for three days, and not earlier', () => {
  const failing = { ...first, failedAt: before(60) }
  expect(afterAttempt({ ...failing, failingSince: before(failingLife - 1) })).toMatchObject({
    status: 'pending',
    switchesOff: false,
    failingSince: before(failingLife - 1),
    failedAt: now,
  })
  expect(afterAttempt({ ...failing, failingSince: before(failingLife) })).toEqual({
    status: 'failed',
    nextAttemptAt: null,
    switchesOff: true,
    failingSince: before(failingLife),
    failedAt: now,
  })
  expect(afterAttempt({ ...failing, failingSince: before(failingLife), isDisabled: true }).switchesOff).toBe(
    false,
  )
})

it('does not switch a webhook off for one failure long after another', () => {
  const failingSince = before(10 * 86_400)
  const again = afterAttempt({ ...first, failingSince, failedAt: before(failingPause + 1) })
  expect(again).toMatchObject({ status: 'pending', switchesOff: false, failingSince: now })
  expect(afterAttempt({ ...first, failingSince, failedAt: before(failingPause) }).switchesOff).toBe(true)
  // The pause is longer than any wait between two attempts of a delivery.
  expect(Math.max(...retries)).toBeLessThan(failingPause)
})

it('sends a test once, which neither counts as a failure nor ends failures', () => {
  const failures = { failingSince: before(failingLife), failedAt: before(60) }
  for (const isDelivered of [true, false])
    for (const known of [noFailures, failures])
      expect(afterAttempt({ ...first, ...known, isDelivered, isTest: true })).toEqual({
        status: isDelivered ? 'succeeded' : 'failed',
        nextAttemptAt: null,
        switchesOff: false,
        ...known,
      })
})

it('keeps its promises for any attempt', () => {
  const attempts = fc.record({
    now: fc.constant(now),
    isDelivered: fc.boolean(),
    attemptOfRound: fc.integer({ min: 1, max: 20 }),
    isTest: fc.boolean(),
    failingSince: fc.option(fc.nat(10 * 86_400).map(before)),
    failedAt: fc.option(fc.nat(10 * 86_400).map(before)),
    isDisabled: fc.boolean(),
  })
  fc.assert(
    fc.property(attempts, (attempted) => {
      const { status, nextAttemptAt, switchesOff } = afterAttempt(attempted)
      expect(status === 'pending').toBe(nextAttemptAt !== null)
      expect(status === 'succeeded').toBe(attempted.isDelivered)
      if (nextAttemptAt) expect(nextAttemptAt > now).toBe(true)
      if (switchesOff || attempted.isDisabled || attempted.isTest) expect(status).not.toBe('pending')
    }),
  )
})

interface Step {
  /** Seconds since the attempt before. */
  after: number
  isDelivered: boolean
  isTest: boolean
}

/** The last failures without a success or a pause between them, as the documentation describes them. */
function failuresAtTheEnd(steps: readonly (Step & { at: Date })[]): Date[] {
  const run: Date[] = []
  for (const { at, isDelivered, isTest } of steps) {
    if (isTest) continue
    const last = run.at(-1)
    if (isDelivered || (last && at.getTime() - last.getTime() > failingPause * 1000)) run.length = 0
    if (!isDelivered) run.push(at)
  }
  return run
}

it('switches off exactly when attempts have failed for three days without a pause of a day [41.44]', () => {
  const hours = fc.integer({ min: 0, max: 30 }).map((each) => each * 3600)
  const step = fc.record({
    after: fc.oneof(fc.nat(600), hours),
    isDelivered: fc.oneof({ weight: 9, arbitrary: fc.constant(false) }, fc.boolean()),
    isTest: fc.oneof({ weight: 9, arbitrary: fc.constant(false) }, fc.boolean()),
  })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      let at = now
      let failures: Failures = noFailures
      const history: (Step & { at: Date })[] = []
      for (const each of steps) {
        at = new Date(at.getTime() + each.after * 1000)
        history.push({ ...each, at })
        const { isDelivered, isTest } = each
        const follows: Consequence = afterAttempt({
          now: at,
          isDelivered,
          isTest,
          attemptOfRound: 1,
          isDisabled: false,
          ...failures,
        })
        const run = failuresAtTheEnd(history)
        const [since = at] = run
        const isLong = at.getTime() - since.getTime() >= failingLife * 1000
        expect(follows.switchesOff).toBe(!isDelivered && !isTest && isLong)
        if (follows.switchesOff) return
        const { failingSince, failedAt } = follows
        expect([failingSince, failedAt]).toEqual([run[0] ?? null, run.at(-1) ?? null])
        failures = { failingSince, failedAt }
      }
    }),
    { numRuns: 1000 },
  )
})
