import { price } from '@phonerack/shared'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { affordableSeconds, billedSeconds, chosenDuration, reservationFor } from './arithmetic.js'
import { endReasons } from '../../base/core/statuses.js'

const ours = { perSecondMicros: price.perSecondMicros, minimumSeconds: price.minimumSeconds }
const reason = fc.constantFrom(...endReasons)
const end = { startedAt: 0, everReady: true, endReason: 'parked' as const, reservedMicros: 900_000n }

describe('billedSeconds', () => {
  it.each([
    [0, 60],
    [1, 60],
    [60_000, 60],
    [60_001, 61],
    [899_001, 900],
    [5_000_000, 900],
  ])('bills %d ms as %d s [3.29]', (endedAt, seconds) => {
    expect(billedSeconds(ours, { ...end, endedAt })).toBe(seconds)
  })

  it('is between the minimum and the reservation, or zero when the phone was never ready [3.30, 20.16]', () => {
    fc.assert(
      fc.property(
        reason,
        fc.boolean(),
        fc.nat(40_000_000),
        fc.integer({ min: 60, max: 10_800 }),
        (why, everReady, endedAt, max) => {
          const reservedMicros = reservationFor(ours, max)
          const seconds = billedSeconds(ours, {
            startedAt: 0,
            endedAt,
            everReady,
            endReason: why,
            reservedMicros,
          })
          expect(BigInt(seconds) * ours.perSecondMicros).toBeLessThanOrEqual(reservedMicros)
          const free = !everReady && why !== 'parked' && why !== 'deleted'
          if (free) expect(seconds).toBe(0)
          else expect(seconds).toBe(Math.min(max, Math.max(60, Math.ceil(endedAt / 1000))))
        },
      ),
    )
  })

  it('never decreases as the session grows', () => {
    fc.assert(
      fc.property(fc.nat(2_000_000), fc.nat(2_000_000), (a, b) => {
        const [short, long] = [Math.min(a, b), Math.max(a, b)]
        expect(billedSeconds(ours, { ...end, endedAt: short })).toBeLessThanOrEqual(
          billedSeconds(ours, { ...end, endedAt: long }),
        )
      }),
    )
  })
})

describe('affordableSeconds and chosenDuration', () => {
  it('returns the longest affordable duration', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -1_000_000n, max: 20_000_000n }), (spendable) => {
        const seconds = affordableSeconds(ours, spendable)
        if (seconds > 0) expect(reservationFor(ours, seconds)).toBeLessThanOrEqual(spendable)
        if (seconds < 10_800)
          expect(reservationFor(ours, Math.max(60, seconds + 1))).toBeGreaterThan(spendable)
      }),
    )
  })

  it('shortens the duration only when it is omitted, and never below 60', () => {
    expect(chosenDuration(ours, null, 10_000_000n)).toBe(900)
    expect(chosenDuration(ours, null, 300_999n)).toBe(300)
    expect(chosenDuration(ours, null, 10_000n)).toBe(60)
    expect(chosenDuration(ours, 900, 300_000n)).toBe(900)
  })
})
