/** When devices fail together: for any host, by properties. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { degradedFrom, degradedUntil, judgeHost, type DeviceFacts } from './degraded.js'

const rules = { windowMs: 300_000, linkGraceMs: 30_000 }
const now = 10_000_000
const time = fc.option(fc.integer({ min: now - 1_000_000, max: now }), { nil: null })
const hosts = fc
  .array(
    fc.record({
      failedAt: time,
      linkLostAt: time,
      heldBy: fc.option(fc.constantFrom('own_a', 'own_b'), { nil: null }),
    }),
    { maxLength: 70 },
  )
  .map((devices) => devices.map((device, index): DeviceFacts => ({ id: `dev_${index}`, ...device })))
const up = (id: string): DeviceFacts => ({ id, failedAt: null, linkLostAt: null, heldBy: null })
const failed = (id: string): DeviceFacts => ({ ...up(id), failedAt: now - 1 })

it.each([
  [1, 2],
  [2, 2],
  [3, 2],
  [4, 2],
  [5, 3],
  [8, 4],
  [9, 5],
  [60, 5],
])('a host of %i devices is degraded from %i failing ones', (count, from) => {
  expect(degradedFrom(count)).toBe(from)
  const host = (failing: number) =>
    Array.from({ length: count }, (_, index) => (index < failing ? failed : up)(`dev_${index}`))
  expect(judgeHost(host(from - 1), now, rules).isTogether).toBe(false)
  if (from <= count) expect(judgeHost(host(from), now, rules).isTogether).toBe(true)
})

describe('any host', () => {
  it('is not degraded by one device, nor after the window', () => {
    fc.assert(
      fc.property(hosts, (devices) => {
        const { failing, isTogether } = judgeHost(devices, now, rules)
        if (failing.length < 2) expect(isTogether).toBe(false)
        const later = now + rules.windowMs
        expect(judgeHost(devices, later, rules)).toEqual({ failing: [], isTogether: false })
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
        const lost = devices.map((device) => ({ ...device, failedAt: null }))
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

  it('is degraded from the first joint failure to a window after the last one, and then recovers', () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { maxLength: 50 }), (looks) => {
        let until: number | null = null
        let last = -Infinity
        for (const [index, isTogether] of looks.entries()) {
          const at = index * 60_000
          if (isTogether) last = at
          until = degradedUntil({ failing: [], isTogether }, until, at, rules)
          expect(until !== null && until > at).toBe(at < last + rules.windowMs)
        }
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

it('counts a lost link only after its grace, since phones and agents restart', () => {
  const lost = (ms: number) => [0, 1].map((id) => ({ ...up(`dev_${id}`), linkLostAt: now - ms }))
  expect(judgeHost(lost(29_999), now, rules).isTogether).toBe(false)
  expect(judgeHost(lost(30_000), now, rules).isTogether).toBe(true)
  expect(judgeHost(lost(300_000), now, rules).isTogether).toBe(false)
})
