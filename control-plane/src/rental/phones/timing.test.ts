import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { deadlineOf, parkTime, renewedDuration } from './timing.js'
import { phoneStatuses } from '../../base/core/statuses.js'

const session = fc.record({
  startedAt: fc.integer({ min: 1_700_000_000_000, max: 1_900_000_000_000 }),
  idleTimeout: fc.integer({ min: 60, max: 3600 }),
  maxDuration: fc.integer({ min: 60, max: 10_800 }),
})

describe('parkTime', () => {
  it('is the earlier of idle timeout and deadline while ready [3.17]', () => {
    fc.assert(
      fc.property(session, fc.integer({ min: 0, max: 10_800_000 }), (times, after) => {
        const active = times.startedAt + after
        const park = parkTime('ready', times, active)
        const idle = active + times.idleTimeout * 1000
        expect(park.at).toBe(Math.min(idle, deadlineOf(times)))
        expect(park.reason).toBe(idle <= deadlineOf(times) ? 'idle' : 'max_duration')
      }),
    )
  })

  it('is the deadline before the phone is ready', () => {
    fc.assert(
      fc.property(
        session,
        fc.constantFrom(...phoneStatuses.filter((status) => status !== 'ready')),
        (times, status) => {
          expect(parkTime(status, times, times.startedAt)).toEqual({
            at: deadlineOf(times),
            reason: 'max_duration',
          })
        },
      ),
    )
  })
})

describe('renewedDuration', () => {
  it('never shortens, is a whole number, and never exceeds the total reservation [10.5]', () => {
    fc.assert(
      fc.property(
        session,
        fc.integer({ min: 0, max: 10_800_000 }),
        fc.integer({ min: 60, max: 10_800 }),
        (times, after, seconds) => {
          const elapsed = Math.min(after, times.maxDuration * 1000)
          const renewed = renewedDuration(times, times.startedAt + elapsed, seconds)
          expect(Number.isInteger(renewed)).toBe(true)
          expect(renewed).toBeGreaterThanOrEqual(times.maxDuration)
          expect(times.startedAt + renewed * 1000).toBeGreaterThanOrEqual(
            times.startedAt + elapsed + seconds * 1000,
          )
          expect(renewed).toBeLessThanOrEqual(times.maxDuration + seconds)
        },
      ),
    )
  })
})
