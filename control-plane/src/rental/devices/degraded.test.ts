/** Properties, for any host, of the decision that devices fail together. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { degradedFrom, judgeHost, nextDegraded, type Degraded, type DeviceFacts } from './degraded.js'

const rules = { windowMs: 300_000, linkGraceMs: 30_000, startHoldMs: 90_000 }
const now = 10_000_000
const time = fc.option(fc.integer({ min: now - 1_000_000, max: now }), { nil: null })
const hosts = fc
  .array(
    fc.record({
      failedAt: time,
      startFailedAt: time,
      linkLostAt: time,
      heldBy: fc.option(fc.constantFrom('own_a', 'own_b'), { nil: null }),
    }),
    { maxLength: 70 },
  )
  .map((devices) => devices.map((device, index): DeviceFacts => ({ id: `dev_${index}`, ...device })))
const up = (id: string): DeviceFacts => ({
  id,
  failedAt: null,
  startFailedAt: null,
  linkLostAt: null,
  heldBy: null,
})
const failed = (id: string): DeviceFacts => ({ ...up(id), failedAt: now - 1 })
const startFailed = (id: string): DeviceFacts => ({ ...up(id), startFailedAt: now - 1 })

it.each([
  [1, 2],
  [2, 2],
  [3, 2],
  [4, 2],
  [5, 3],
  [8, 4],
  [9, 5],
  [60, 5],
])('a host of %i devices is degraded from %i failing devices', (count, from) => {
  expect(degradedFrom(count)).toBe(from)
  for (const failure of [failed, startFailed]) {
    const host = (failing: number) =>
      Array.from({ length: count }, (_, index) => (index < failing ? failure : up)(`dev_${index}`))
    expect(judgeHost(host(from - 1), now, rules).isTogether).toBe(false)
    if (from <= count) expect(judgeHost(host(from), now, rules).isTogether).toBe(true)
  }
})

const isOn = (state: Degraded | null, at: number): boolean => state !== null && state.until > at

interface Step {
  /** Milliseconds since the previous step. */
  after: number
  device: number
  fails: boolean
}

describe('any host whose starts fail and succeed', () => {
  const lives = fc.tuple(
    fc.integer({ min: 1, max: 12 }),
    fc.array(
      fc.record({ after: fc.nat({ max: 60_000 }), device: fc.nat({ max: 11 }), fails: fc.boolean() }),
      { maxLength: 60 },
    ),
  )

  /** Updates the host's state after each step, and then calls `check`. */
  function live(
    count: number,
    steps: Step[],
    check: (host: { devices: DeviceFacts[]; state: Degraded | null; at: number; step: Step }) => void,
  ): void {
    const devices = Array.from({ length: count }, (_, index) => up(`dev_${index}`))
    let [state, at]: [Degraded | null, number] = [null, now]
    for (const step of steps) {
      at += step.after
      const device = devices[step.device % count]
      if (device) device.startFailedAt = step.fails ? at : null
      state = nextDegraded(judgeHost(devices, at, rules), state, at, rules)
      check({ devices, state, at, step })
    }
  }

  it('is degraded only within 90 s of its newest failure, and while enough devices fail', () => {
    fc.assert(
      fc.property(lives, ([count, steps]) => {
        live(count, steps, ({ devices, state, at }) => {
          const times = devices.map(({ startFailedAt }) => startFailedAt ?? -Infinity)
          const failing = times.filter((time) => time > at - rules.windowMs).length
          const newest = Math.max(...times)
          const expected = failing >= degradedFrom(count) && at < newest + rules.startHoldMs
          expect(isOn(state, at)).toBe(expected)
          if (state) expect(state).toEqual({ until: newest + rules.startHoldMs, byStarts: true })
        })
      }),
    )
  })

  it('takes creates again without a success, and a failure degrades it again while the earlier failures are recent', () => {
    fc.assert(
      fc.property(lives, fc.nat({ max: 209_000 }), ([count, steps], wait) => {
        live(count, steps, ({ devices, state, at, step }) => {
          if (!state || !step.fails) return
          const later = at + rules.startHoldMs
          expect(nextDegraded(judgeHost(devices, later, rules), state, later, rules)).toBeNull()
          const probe = later + wait
          const others = devices.slice(1).filter(({ startFailedAt }) => {
            return startFailedAt !== null && startFailedAt > probe - rules.windowMs
          })
          const again = devices.map((device, index) =>
            index === 0 ? { ...device, startFailedAt: probe } : device,
          )
          const next = nextDegraded(judgeHost(again, probe, rules), null, probe, rules)
          expect(next !== null).toBe(others.length + 1 >= degradedFrom(count))
        })
      }),
    )
  })
})

describe('any host', () => {
  it('is not degraded by one device, nor after the window', () => {
    fc.assert(
      fc.property(hosts, (devices) => {
        const { failing, isTogether } = judgeHost(devices, now, rules)
        if (failing.length < 2) expect(isTogether).toBe(false)
        const later = now + rules.windowMs
        expect(judgeHost(devices, later, rules)).toEqual({
          failing: [],
          isTogether: false,
          isTogetherWithoutStarts: false,
          lastFailedStart: null,
        })
      }),
    )
  })

  it('stays degraded when one more of its devices fails, in any order of its devices', () => {
    fc.assert(
      fc.property(hosts, fc.nat(), (devices, pick) => {
        const before = judgeHost(devices, now, rules)
        expect(judgeHost(devices.toReversed(), now, rules).isTogether).toBe(before.isTogether)
        const more = devices.map((device, index) =>
          index === pick % devices.length ? failed(device.id) : device,
        )
        const after = judgeHost(more, now, rules)
        expect(after.failing).toEqual(expect.arrayContaining(before.failing))
        if (before.isTogether) expect(after.isTogether).toBe(true)
      }),
    )
  })

  it('counts the lost links of phones once for each owner, so one owner alone cannot degrade it', () => {
    fc.assert(
      fc.property(hosts, (devices) => {
        const lost = devices.map((device) => ({ ...device, failedAt: null, startFailedAt: null }))
        const free = judgeHost(
          lost.filter(({ heldBy }) => heldBy === null),
          now,
          rules,
        ).failing.length
        const { failing, isTogether } = judgeHost(lost, now, rules)
        const owners = new Set(
          lost
            .filter(({ id, heldBy }) => heldBy !== null && failing.includes(id))
            .map(({ heldBy }) => heldBy),
        )
        expect(isTogether).toBe(free + owners.size >= degradedFrom(lost.length))
        const owned = lost.map((device) => ({ ...device, heldBy: 'own_a' }))
        expect(judgeHost(owned, now, rules).isTogether).toBe(false)
      }),
    )
  })

  it('is degraded from the first joint failure until a window after the last, unless starts failed', () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { maxLength: 50 }), (verdicts) => {
        let state: Degraded | null = null
        let last = -Infinity
        for (const [index, isTogether] of verdicts.entries()) {
          const at = index * 60_000
          if (isTogether) last = at
          const verdict = {
            failing: [],
            isTogether,
            isTogetherWithoutStarts: isTogether,
            lastFailedStart: null,
          }
          state = nextDegraded(verdict, state, at, rules)
          expect(isOn(state, at)).toBe(at < last + rules.windowMs)
        }
      }),
    )
  })

  it('stays degraded when starts succeed, if other failures caused it', () => {
    fc.assert(
      fc.property(hosts, fc.nat({ max: 299_999 }), (devices, after) => {
        const state: Degraded = { until: now + rules.windowMs, byStarts: false }
        const at = now + after
        expect(isOn(nextDegraded(judgeHost(devices, at, rules), state, at, rules), at)).toBe(true)
      }),
    )
  })

  it('is never degraded when the rule is off', () => {
    fc.assert(
      fc.property(hosts, (devices) => {
        expect(judgeHost(devices, now, { ...rules, windowMs: 0 }).isTogether).toBe(false)
      }),
    )
  })
})

it('counts a lost link only after the grace period, since phones and agents restart', () => {
  const lost = (ms: number) => [0, 1].map((id) => ({ ...up(`dev_${id}`), linkLostAt: now - ms }))
  expect(judgeHost(lost(29_999), now, rules).isTogether).toBe(false)
  expect(judgeHost(lost(30_000), now, rules).isTogether).toBe(true)
  expect(judgeHost(lost(300_000), now, rules).isTogether).toBe(false)
})
