/** The steps of random lifecycles. Used by `life.ts` and `billing/money-lives.test.ts`. */
import fc from 'fast-check'

const often = ['create', 'create', 'start', 'wait'] as const
const whats = [
  ...often,
  ...often,
  ...often,
  'wait',
  'park',
  'park',
  'delete',
  'delete',
  'heartbeat',
  'reboot',
  'reset',
  'freeze or thaw',
  'pause or resume',
  'spend limit',
  'credit',
  'silence or hear host',
  'lose or find device',
  'change luck',
  'release device',
  'reconcile',
] as const

const weighted = <T>(...parts: [number, fc.Arbitrary<T>][]) =>
  fc.oneof(...parts.map(([weight, arbitrary]) => ({ weight, arbitrary })))
const [minute, hour] = [60_000, 3_600_000]

const stepArbitrary = fc.record({
  what: fc.constantFrom(...whats),
  /** Selects the phone, the device or the outcome. */
  which: fc.nat(3),
  seconds: weighted<number | null>(
    [1, fc.constant(null)],
    [3, fc.integer({ min: 60, max: 400 })],
    [1, fc.integer({ min: 60, max: 10_800 })],
  ),
  idleTimeout: fc.integer({ min: 60, max: 900 }),
  /** Milliseconds by which a wait advances the clock. */
  ms: weighted(
    [3, fc.nat(minute)],
    [5, fc.integer({ min: minute, max: 5 * minute })],
    [3, fc.nat(15 * minute)],
    [1, fc.nat(3 * hour)],
    [1, fc.nat(26 * hour)],
  ),
  /** Due jobs run in a later step. */
  isLate: fc.constantFrom(false, false, true),
  /** The number of effects that the process makes before it is cut; null: it is never cut. */
  cut: weighted<number | null>([2, fc.constant(null)], [3, fc.nat(5)], [1, fc.nat(14)]),
})
export type Step = typeof stepArbitrary extends fc.Arbitrary<infer T> ? T : never

const openingArbitrary = fc.record({
  /** Milliseconds relative to the turn of a month. */
  fromTurn: fc.integer({ min: -2 * hour, max: 10 * minute }),
  creditMicros: fc.bigInt({ min: 0n, max: 4_000_000n }),
  spendLimitMicros: fc.bigInt({ min: 50_000n, max: 4_000_000n }),
})
export type Opening = typeof openingArbitrary extends fc.Arbitrary<infer T> ? T : never

export const lifeSteps = fc.record({
  opening: openingArbitrary,
  steps: fc.array(stepArbitrary, { minLength: 10, maxLength: 40, size: 'max' }),
})
