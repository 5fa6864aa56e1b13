import { price, type ApiError } from '@phonerack/shared'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { admitCreate, admitStart, noCapacity, type CreateState } from './admission.js'

const ours = { perSecondMicros: price.perSecondMicros, minimumSeconds: price.minimumSeconds }
type State = CreateState<string>
const fine: State = {
  frozen: false,
  paused: false,
  rateLimitedFor: () => Promise.resolve(null),
  counts: { running: 0, maxRunning: 5, phones: 0, maxPhones: 5, parked: 3, parkedLimit: null },
  freeDevice: () => Promise.resolve('a device'),
  money: {
    balanceMicros: 10_000_000n,
    reservedMicros: 0n,
    spendLimitMicros: 50_000_000n,
    spentThisMonthMicros: 0n,
  },
}
/** Every reason for a refusal, in the order of the specification's table. */
const obstacles: [string, (state: State) => State][] = [
  ['project_frozen', (state) => ({ ...state, frozen: true })],
  ['service_paused', (state) => ({ ...state, paused: true })],
  ['rate_limited', (state) => ({ ...state, rateLimitedFor: () => Promise.resolve(7) })],
  ['running_limit_reached', (state) => ({ ...state, counts: { ...state.counts, running: 5 } })],
  ['phone_limit_reached', (state) => ({ ...state, counts: { ...state.counts, phones: 5 } })],
  ['phone_limit_reached', (state) => ({ ...state, counts: { ...state.counts, parkedLimit: 3 } })],
  ['capacity_unavailable', (state) => ({ ...state, freeDevice: () => Promise.resolve(null) })],
  ['insufficient_credits', (state) => ({ ...state, money: { ...state.money, balanceMicros: 100_000n } })],
  ['spend_limit_reached', (state) => ({ ...state, money: { ...state.money, spendLimitMicros: 1n } })],
]
const refusal = (verdict: object): ApiError | null =>
  'refused' in verdict ? (verdict.refused as ApiError) : null

describe('admitCreate', () => {
  it('returns the first applicable refusal in the order of the table [6.17]', async () => {
    await fc.assert(
      fc.asyncProperty(fc.subarray(obstacles), async (some) => {
        const state = some.reduce((each, [, put]) => put(each), fine)
        expect(refusal(await admitCreate(ours, state, 900))?.code ?? null).toBe(some[0]?.[0] ?? null)
      }),
    )
  })

  it('counts and locks nothing for a request that an earlier check refuses', async () => {
    for (const [index, [code, put]] of obstacles.entries()) {
      const done: string[] = []
      const state = put(fine)
      const verdict = await admitCreate(
        ours,
        {
          ...state,
          rateLimitedFor: () => state.rateLimitedFor().finally(() => done.push('counted')),
          freeDevice: () => state.freeDevice().finally(() => done.push('locked')),
        },
        900,
      )
      expect(refusal(verdict)?.code).toBe(code)
      expect(done, code).toEqual([...(index >= 2 ? ['counted'] : []), ...(index >= 6 ? ['locked'] : [])])
    }
  })

  it('reports the affordable duration, the wait and the reached limit [6.19]', async () => {
    const at = async (index: number) =>
      refusal(await admitCreate(ours, obstacles[index]?.[1](fine) ?? fine, 900))
    expect((await at(2))?.retryAfterSeconds).toBe(7)
    expect((await at(2))?.details).toEqual({ retry_after_seconds: 7 })
    expect((await at(3))?.details).toEqual({ limit: 5 })
    expect((await at(5))?.details).toEqual({ limit: 3 })
    expect((await at(6))?.retryAfterSeconds).toBeGreaterThan(0)
    expect((await at(7))?.details).toEqual({ max_affordable_seconds: 100 })
  })

  it('never reserves more than the available credit or the monthly limit [6.21]', async () => {
    const micros = fc.bigInt({ min: 0n, max: 20_000_000n })
    const money = fc.record({
      balanceMicros: micros,
      reservedMicros: micros,
      spendLimitMicros: micros,
      spentThisMonthMicros: micros,
    })
    await fc.assert(
      fc.asyncProperty(money, fc.option(fc.integer({ min: 60, max: 10_800 })), async (each, asked) => {
        const verdict = await admitCreate(ours, { ...fine, money: each }, asked)
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
  it('checks the running limit and the device for a start only, and never the phone limit', async () => {
    const full = {
      ...fine,
      counts: { running: 5, maxRunning: 5, phones: 9, maxPhones: 5, parked: 0, parkedLimit: null },
    }
    expect(
      refusal(await admitStart(ours, { ...full, running: true, unreachable: noCapacity() }, 900)),
    ).toBeNull()
    expect(refusal(await admitStart(ours, { ...full, running: false, unreachable: null }, 900))?.code).toBe(
      'running_limit_reached',
    )
    const away = { ...fine, running: false, unreachable: noCapacity() }
    expect(refusal(await admitStart(ours, away, 900))?.code).toBe('capacity_unavailable')
    expect(refusal(await admitStart(ours, { ...away, frozen: true }, 900))?.code).toBe('project_frozen')
  })
})

describe('next', () => {
  const poor = { ...fine, money: { ...fine.money, balanceMicros: 0n, reservedMicros: 0n } }
  const nextOf = (price: typeof ours & { sellsCredit?: boolean }, state: State) =>
    admitCreate(price, state, 900).then((verdict) => refusal(verdict)?.next)

  it('is a checkout for a project without credit where credit is sold, otherwise the operator', async () => {
    expect(await nextOf({ ...ours, sellsCredit: true }, poor)).toContain('POST /v1/credits/checkout')
    const asked = await nextOf({ ...ours, sellsCredit: false }, poor)
    expect(asked).toContain('operator')
    expect(asked).not.toContain('checkout')
  })

  it('says that parked phones keep their devices when no device is free', async () => {
    expect(await nextOf(ours, { ...fine, freeDevice: () => Promise.resolve(null) })).toContain(
      'a parked phone keeps its device',
    )
  })
})
