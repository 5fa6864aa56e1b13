import fc from 'fast-check'
import { expect, it, vi } from 'vitest'
import { DatabaseClock } from './clock.js'

const hour = 3_600_000
/** Milliseconds, also of a busy machine. */
const span = fc.integer({ min: 0, max: 700 })
const near = (date: Date, ms: number): boolean => Math.abs(date.getTime() - ms) < 1000

it('returns Postgres’s time before and after a step of the machine’s clock', async () => {
  let step = -hour
  const machine = { now: () => new Date(Date.now() + step) }
  const clock = await DatabaseClock.start(() => Promise.resolve(new Date()), machine)
  expect(near(clock.now(), Date.now())).toBe(true)
  expect(Math.round(clock.skewMs / 1000)).toBe(-3600)
  expect(clock.isSkewed).toBe(true)
  step = hour
  expect(near(clock.now(), Date.now())).toBe(true)
  await clock.measure()
  expect(near(clock.now(), Date.now())).toBe(true)
  expect(Math.round(clock.skewMs / 1000)).toBe(3600)
  step = 0
  await clock.measure()
  expect(clock.isSkewed).toBe(false)
})

it('follows a change of Postgres’s time', async () => {
  let ahead = 0
  const machine = { now: () => new Date() }
  const clock = await DatabaseClock.start(() => Promise.resolve(new Date(Date.now() + ahead)), machine)
  ahead = hour
  expect(near(clock.now(), Date.now())).toBe(true)
  await clock.measure()
  expect(near(clock.now(), Date.now() + hour)).toBe(true)
})

it('stays between the bounds that its measurements prove, and moves only as far as they demand', async () => {
  const monotonic = vi.spyOn(performance, 'now')
  try {
    const machine = { now: () => new Date(0) }
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 2_000_000_000_000 }),
        fc.array(fc.record({ pause: span, there: span, back: span }), { minLength: 1, maxLength: 20 }),
        async (origin, measurements) => {
          let at = 0
          monotonic.mockImplementation(() => at)
          const [first, ...others] = measurements
          let { there, back } = first ?? { there: 0, back: 0 }
          const clock = await DatabaseClock.start(() => {
            at += there
            const read = new Date(origin + at)
            at += back
            return Promise.resolve(read)
          }, machine)
          const error = () => clock.now().getTime() - (origin + at)
          let bound = (there + back) / 2 + 2
          expect(Math.abs(error())).toBeLessThanOrEqual(bound)
          for (const { pause, ...times } of others) {
            at += pause
            ;({ there, back } = times)
            const before = error()
            await clock.measure()
            bound = Math.min(bound, there + back + 2)
            expect(Math.abs(error())).toBeLessThanOrEqual(bound)
            // A correct time is never moved away from Postgres's.
            expect(Math.abs(error())).toBeLessThanOrEqual(Math.abs(before) + 2)
          }
        },
      ),
    )
  } finally {
    monotonic.mockRestore()
  }
})
