import { price, type ApiError } from '@phonerack/shared'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { admitCreate, admitStart, noCapacity, type CreateState } from './admission.js'

const ours = { perSecondMicros: price.perSecondMicros, minimumSeconds: price.minimumSeconds }
const fine: CreateState = {
  frozen: false,
  paused: false,
  rateLimitedFor: null,
  counts: { running: 0, maxRunning: 5, phones: 0, maxPhones: 5 },
  deviceFree: true,
  money: {
    balanceMicros: 10_000_000n,
    reservedMicros: 0n,
    spendLimitMicros: 50_000_000n,
    spentThisMonthMicros: 0n,
  },
}
/** Every reason for a refusal, in the order of the specification's table. */
const obstacles: [string, (state: CreateState) => CreateState][] = [
  ['project_frozen', (state) => ({ ...state, frozen: true })],
  ['service_paused', (state) => ({ ...state, paused: true })],
  ['rate_limited', (state) => ({ ...state, rateLimitedFor: 7 })],
  ['running_limit_reached', (state) => ({ ...state, counts: { ...state.counts, running: 5 } })],
  ['phone_limit_reached', (state) => ({ ...state, counts: { ...state.counts, phones: 5 } })],
  ['capacity_unavailable', (state) => ({ ...state, deviceFree: false })],
  ['insufficient_credits', (state) => ({ ...state, money: { ...state.money, balanceMicros: 100_000n } })],
  ['spend_limit_reached', (state) => ({ ...state, money: { ...state.money, spendLimitMicros: 1n } })],
]
const refusal = (verdict: object): ApiError | null =>
  'refused' in verdict ? (verdict.refused as ApiError) : null

describe('admitCreate', () => {
  it('returns the first applicable refusal in the order of the table', () => {
    fc.assert(
      fc.property(fc.subarray(obstacles), (some) => {
        const state = some.reduce((each, [, put]) => put(each), fine)
        expect(refusal(admitCreate(ours, state, 900))?.code ?? null).toBe(some[0]?.[0] ?? null)
      }),
    )
  })

  it('reports the affordable duration, the wait and the reached limit', () => {
    const at = (index: number) => refusal(admitCreate(ours, obstacles[index]?.[1](fine) ?? fine, 900))
    expect(at(2)?.retryAfterSeconds).toBe(7)
    expect(at(2)?.details).toEqual({ retry_after_seconds: 7 })
    expect(at(3)?.details).toEqual({ limit: 5 })
    expect(at(5)?.retryAfterSeconds).toBeGreaterThan(0)
    expect(at(6)?.details).toEqual({ max_affordable_seconds: 100 })
  })

  it('never reserves more than the available credit or the monthly limit', () => {
    const micros = fc.bigInt({ min: 0n, max: 20_000_000n })
    const money = fc.record({
      balanceMicros: micros,
      reservedMicros: micros,
      spendLimitMicros: micros,
      spentThisMonthMicros: micros,
    })
    fc.assert(
      fc.property(money, fc.option(fc.integer({ min: 60, max: 10_800 })), (each, asked) => {
        const verdict = admitCreate(ours, { ...fine, money: each }, asked)
        if ('refused' in verdict) return
        expect(each.reservedMicros + verdict.reservedMicros).toBeLessThanOrEqual(each.balanceMicros)
        expect(each.spentThisMonthMicros + each.reservedMicros + verdict.reservedMicros).toBeLessThanOrEqual(
          each.spendLimitMicros,
        )
        expect(verdict.reservedMicros).toBe(BigInt(verdict.maxDuration) * ours.perSecondMicros)
      }),
    )
  })
})

describe('admitStart', () => {
  it('checks for a renewal neither a running slot nor the device, for a start both, and for neither the phone limit', () => {
    const full = { ...fine, counts: { running: 5, maxRunning: 5, phones: 9, maxPhones: 5 } }
    expect(refusal(admitStart(ours, { ...full, running: true, unreachable: noCapacity() }, 900))).toBeNull()
    expect(refusal(admitStart(ours, { ...full, running: false, unreachable: null }, 900))?.code).toBe(
      'running_limit_reached',
    )
    const away = { ...fine, running: false, unreachable: noCapacity() }
    expect(refusal(admitStart(ours, away, 900))?.code).toBe('capacity_unavailable')
    expect(refusal(admitStart(ours, { ...away, frozen: true }, 900))?.code).toBe('project_frozen')
  })
})

describe('next', () => {
  const poor = { ...fine, money: { ...fine.money, balanceMicros: 0n, reservedMicros: 0n } }
  const nextOf = (price: typeof ours & { sellsCredit?: boolean }, state: CreateState) =>
    refusal(admitCreate(price, state, 900))?.next

  it('of a project without credit is a checkout where credit is sold, otherwise the operator', () => {
    expect(nextOf({ ...ours, sellsCredit: true }, poor)).toContain('POST /v1/credits/checkout')
    const asked = nextOf({ ...ours, sellsCredit: false }, poor)
    expect(asked).toContain('operator')
    expect(asked).not.toContain('checkout')
  })

  it('of a service without a free device says that parked phones keep theirs', () => {
    expect(nextOf(ours, { ...fine, deviceFree: false })).toContain('a parked phone keeps its device')
  })
})
