/**
 * The assignment rule that keeps one tenant's data from another phone, compared with a model of the
 * data on the device.
 */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  assigned,
  cleanFor,
  custodySchema,
  enrolled,
  mayAssign,
  mayCall,
  wiped,
  written,
  type Asked,
  type Custody,
} from './custody.js'

const blank = custodySchema.parse({ fencingNumber: '0' })
const strict = { packageCleanFreesAll: false }
const tenants: Record<string, string> = { ph_a: 'ta', ph_b: 'tb', ph_c: 'ta' }
const use = (phoneId: string, number: number, tenant = tenants[phoneId] ?? ''): Asked => ({
  intent: 'use',
  phoneId,
  tenant,
  hasData: false,
  fencingNumber: BigInt(number),
})
const erase = (phoneId: string, number: number): Asked => ({ ...use(phoneId, number), intent: 'erase' })
const after = (asked: Asked, record: Custody = blank): Custody => {
  expect(mayAssign(record, asked, strict)).toBeNull()
  return assigned(record, asked, 1)
}
const clean = (number: number, level: 'data' | 'package' = 'data', record: Custody = blank): Custody =>
  wiped(after(erase('', number), record), BigInt(number), level, 1)

describe('mayAssign', () => {
  it('refuses every phone on a device without a record, until a wipe is verified', () => {
    expect(mayAssign(blank, use('ph_a', 1), strict)).toBe('not_wiped')
    expect(mayAssign(clean(1), use('ph_a', 2), strict)).toBeNull()
  })

  it('treats a record from before assignments as used, and keeps its number', () => {
    const old = custodySchema.parse({ fencingNumber: '7' })
    expect(mayAssign(old, use('ph_a', 7), strict)).toBe('number_taken')
    expect(mayAssign(old, use('ph_a', 8), strict)).toBe('not_wiped')
    expect(mayAssign(old, erase('', 6), strict)).toBe('old_number')
    expect(mayCall(old, { phoneId: 'ph_a', fencingNumber: 7n })).toBe('not_assigned')
    expect(mayAssign(clean(8, 'data', old), use('ph_a', 9), strict)).toBeNull()
  })

  it('refuses the same number from another phone, even on a clean device', () => {
    const held = after(use('ph_a', 2), clean(1))
    expect(mayAssign(held, use('ph_a', 2), strict)).toBeNull()
    expect(mayAssign(held, use('ph_b', 2), strict)).toBe('number_taken')
    expect(mayAssign(held, erase('ph_b', 2), strict)).toBe('number_taken')
    expect(mayAssign(held, erase('', 2), strict)).toBe('number_taken')
    const released = wiped(after(erase('ph_a', 3), held), 3n, 'data', 1)
    expect(mayAssign(released, use('ph_b', 3), strict)).toBe('number_taken')
    expect(mayAssign(released, use('ph_b', 4), strict)).toBeNull()
  })

  it('refuses another phone on a device that was assigned and never written to', () => {
    const held = after(use('ph_a', 2), clean(1))
    expect(held.dirty).toBe(false)
    expect(mayAssign(held, use('ph_b', 3), strict)).toBe('not_wiped')
  })

  it('refuses every phone after an interrupted wipe or the enrolment of another phone', () => {
    const began = written(after(erase('', 2), clean(1)), 1)
    expect(cleanFor(began, strict)).toBe('')
    expect(mayAssign(began, use('ph_a', 3), strict)).toBe('not_wiped')
    expect(mayAssign(wiped(began, 2n, 'data', 1), use('ph_a', 3), strict)).toBeNull()
  })

  it('lets a phone continue under its number after its own reset', () => {
    const reset = after(erase('ph_a', 3), after(use('ph_a', 2), clean(1)))
    expect(mayCall(reset, { phoneId: 'ph_a', fencingNumber: 3n })).toBe('not_assigned')
    const started = after(use('ph_a', 3), wiped(reset, 3n, 'data', 1))
    expect(mayCall(started, { phoneId: 'ph_a', fencingNumber: 3n })).toBeNull()
  })

  it('refuses a phone whose data was wiped later, even on a device that is clean for the phone', () => {
    const its = { ...use('ph_a', 4), hasData: true }
    const used = written(after(use('ph_a', 2), clean(1)), 1)
    expect(mayAssign(used, its, strict)).toBeNull()
    for (const level of ['data', 'package'] as const) {
      const released = wiped(after(erase('ph_a', 3), used), 3n, level, 1)
      for (const number of [3n, 4n])
        expect(mayAssign(released, { ...its, fencingNumber: number }, strict)).toBe('data_wiped')
      expect(mayAssign(released, { ...its, hasData: false }, strict)).toBeNull()
      expect(mayAssign(released, { ...its, intent: 'erase' }, strict)).toBeNull()
    }
    expect(mayAssign(after(use('ph_b', 3), wiped(used, 2n, 'data', 1)), its, strict)).toBe('not_wiped')
    expect(mayAssign(blank, its, strict)).toBe('not_wiped')
  })

  it("reserves a device with a package-level clean for its tenant, or frees it by the host's flag", () => {
    const used = written(after(use('ph_a', 2), clean(1)), 1)
    const left = wiped(after(erase('', 3), used), 3n, 'package', 1)
    expect(cleanFor(left, strict)).toBe('tenant:ta')
    expect(mayAssign(left, use('ph_b', 4), strict)).toBe('clean_for_another_tenant')
    expect(mayAssign(left, use('ph_c', 4), strict)).toBeNull()
    expect(mayAssign(left, use('ph_c', 4, ''), strict)).toBe('clean_for_another_tenant')
    expect(mayAssign(left, use('ph_b', 4), { packageCleanFreesAll: true })).toBeNull()
    // Data of two tenants may remain, so the device is clean for neither tenant.
    const second = assigned(left, use('ph_b', 4), 1)
    expect(cleanFor(wiped(assigned(second, erase('', 5), 1), 5n, 'package', 1), strict)).toBe('')
  })

  it('treats an enrolled device as unverified', () => {
    const used = written(after(use('ph_a', 2), clean(1)), 1)
    const taken = enrolled(after(erase('', 3), used), 1)
    expect(taken).toMatchObject({ fencingNumber: '3', assignment: null, clean: null, dirty: true })
    expect(taken.revision).toBeGreaterThan(used.revision)
    expect(mayAssign(taken, use('ph_a', 4), strict)).toBe('not_wiped')
    // The device may be another phone, with data of that phone's previous user.
    expect(cleanFor(wiped(taken, 3n, 'package', 1), strict)).toBe('')
    expect(cleanFor(wiped(taken, 3n, 'data', 1), strict)).toBe('anyone')
  })

  it('does not free a device by a package-level clean when its user is unknown', () => {
    expect(cleanFor(clean(1, 'package'), strict)).toBe('')
    expect(mayAssign(clean(1, 'package'), use('ph_a', 2, ''), strict)).toBe('clean_for_another_tenant')
  })

  it('accepts a phone whose tenant an older control plane did not send', () => {
    const held = after(use('ph_a', 2, ''), clean(1))
    const named = after(use('ph_a', 3), held)
    expect(named.assignment?.tenant).toBe('ta')
    expect(after(use('ph_a', 4, ''), named).assignment?.tenant).toBe('ta')
  })
})

describe('mayCall', () => {
  it('requires the same number and the same phone', () => {
    const held = after(use('ph_a', 2), clean(1))
    expect(mayCall(held, { phoneId: 'ph_a', fencingNumber: 2n })).toBeNull()
    expect(mayCall(held, { phoneId: 'ph_b', fencingNumber: 2n })).toBe('not_assigned')
    for (const fencingNumber of [0n, 1n, 3n])
      expect(mayCall(held, { phoneId: 'ph_a', fencingNumber })).toBe('old_number')
  })
})

describe('for any sequence of requests and wipes', () => {
  /** Valid and invalid control plane requests, and faults of the agent and the phone. */
  const ask = fc.record({
    kind: fc.constant('ask' as const),
    intent: fc.constantFrom('use' as const, 'erase' as const),
    phoneId: fc.constantFrom('ph_a', 'ph_b', 'ph_c', ''),
    /** The offset from the current number. */
    ahead: fc.integer({ min: -1, max: 2 }),
  })
  const wipe = fc.record({
    kind: fc.constant('wipe' as const),
    level: fc.constantFrom('data' as const, 'package' as const),
    verified: fc.boolean(),
  })
  const step = fc.oneof(
    { arbitrary: ask, weight: 8 },
    { arbitrary: wipe, weight: 4 },
    { arbitrary: fc.record({ kind: fc.constant('write' as const) }), weight: 4 },
    {
      arbitrary: fc.record({ kind: fc.constantFrom('lost record' as const, 'older record' as const) }),
      weight: 1,
    },
  )
  type Step = typeof step extends fc.Arbitrary<infer S> ? S : never

  const run = (steps: readonly Step[], trustsAll: boolean) => {
    const flags = { packageCleanFreesAll: trustsAll }
    let record = blank
    /** Phones whose data is on the device, and tenants whose data package-level cleans may have left. */
    const data = new Set<string>()
    const left = new Set<string>()
    let user: string | null = null
    let wiping: bigint | null = null
    let accepted = 0
    for (const each of steps) {
      const before = record
      if (each.kind === 'ask') {
        const asked = { ...use(each.phoneId, Number(record.fencingNumber) + each.ahead), intent: each.intent }
        const refusal = mayAssign(record, asked, flags)
        if (refusal) {
          expect(record).toBe(before)
          continue
        }
        record = assigned(record, asked, 1)
        expect(BigInt(record.fencingNumber)).toBe(asked.fencingNumber)
        if (asked.intent === 'erase') {
          user = null
          wiping = asked.fencingNumber
          continue
        }
        accepted += 1
        wiping = null
        user = each.phoneId
        expect([...data].filter((phone) => phone !== user)).toEqual([])
        if (!trustsAll) expect([...left].filter((tenant) => tenant !== tenants[each.phoneId])).toEqual([])
        expect(mayCall(record, asked)).toBeNull()
      } else if (each.kind === 'write' && user) {
        record = written(record, 1)
        data.add(user)
      } else if (each.kind === 'wipe' && wiping !== null) {
        record = written(record, 1)
        if (!each.verified) continue
        record = wiped(record, wiping, each.level, 1)
        if (each.level === 'data') left.clear()
        else for (const phone of data) left.add(tenants[phone] ?? '')
        data.clear()
      } else if (each.kind === 'lost record') {
        record = blank
        user = null
        wiping = null
      } else if (each.kind === 'older record') {
        record = custodySchema.parse({ fencingNumber: record.fencingNumber })
        user = null
        wiping = null
      }
      expect(record.revision).toBeGreaterThanOrEqual(each.kind.endsWith('record') ? 0 : before.revision)
      if (each.kind !== 'lost record')
        expect(BigInt(record.fencingNumber)).toBeGreaterThanOrEqual(BigInt(before.fencingNumber))
    }
    return accepted
  }

  it("never assigns a device that holds another phone's data", () => {
    let accepted = 0
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60, size: 'max' }), fc.boolean(), (steps, trustsAll) => {
        accepted += run(steps, trustsAll)
      }),
      { numRuns: 6000 },
    )
    // Guards against a run that passes by refusing every request.
    expect(accepted).toBeGreaterThan(1000)
  })
})
