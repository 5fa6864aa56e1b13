/** A device's fencing number and assignment, also across restarts. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Asked } from './custody.js'
import { createFencing, FencingRefused, type Fencing } from './fencing.js'
import { openRecords } from './records.js'

let dir: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'phonerack-fencing-'))
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

const serial = '127.0.0.1:6001'
const use = (fencingNumber: bigint, phoneId = 'ph_a'): Asked => ({
  intent: 'use',
  phoneId,
  tenant: 't',
  fencingNumber,
})
const erase = (fencingNumber: bigint, phoneId = ''): Asked => ({
  ...use(fencingNumber, phoneId),
  intent: 'erase',
})
const wipe = (fencing: Fencing, number: bigint): void => {
  fencing.raise(erase(number))
  fencing.wiped(number, 'data', {})
}
const reasonOf = (work: () => unknown): unknown => {
  try {
    work()
    return null
  } catch (error) {
    if (error instanceof FencingRefused) return error.details['reason']
    throw error
  }
}

describe('the fencing number', () => {
  it('never decreases, for any calls and restarts of the agent', () => {
    const call = fc.record({
      kind: fc.constantFrom('hold', 'raise', 'restart'),
      number: fc.bigInt({ min: 0n, max: 9n }),
    })
    fc.assert(
      fc.property(fc.array(call, { maxLength: 30 }), (calls) => {
        const fresh = mkdtempSync(join(dir, 'run-'))
        let fencing = createFencing(serial, openRecords(fresh))
        wipe(fencing, 1n)
        let highest = 1n
        let holds = false
        for (const { kind, number } of calls) {
          if (kind === 'restart') fencing = createFencing(serial, openRecords(fresh))
          else if (kind === 'hold') {
            if (holds && number === highest) expect(fencing.hold(use(number)).aborted).toBe(false)
            else expect(() => fencing.hold(use(number))).toThrow(FencingRefused)
          } else if (number < highest) {
            expect(() => fencing.raise(use(number))).toThrow(FencingRefused)
          } else {
            fencing.raise(use(number))
            holds = true
            highest = number
          }
          expect(fencing.current).toBe(highest)
        }
      }),
      { numRuns: 60 },
    )
  })

  it('aborts work under an older number and keeps work under the same number', () => {
    const fencing = createFencing(serial, openRecords(dir))
    wipe(fencing, 1n)
    const first = fencing.raise(use(2n))
    expect(fencing.raise(use(2n))).toBe(first)
    expect(fencing.hold(use(2n))).toBe(first)
    const second = fencing.raise(use(3n))
    expect(first.aborted).toBe(true)
    expect(second.aborted).toBe(false)
    expect(() => fencing.hold(use(2n))).toThrow(FencingRefused)
  })

  it('is on disk before it takes effect, readable by the owner only, and separate for each device', () => {
    const records = openRecords(dir)
    createFencing(serial, records).raise(erase(7n))
    createFencing('other', records).raise(erase(3n))
    const again = openRecords(dir)
    expect(again.get(serial).fencingNumber).toBe('7')
    expect(again.get('other').fencingNumber).toBe('3')
    expect(again.serials().toSorted()).toEqual([serial, 'other'])
    for (const name of readdirSync(dir)) expect(statSync(join(dir, name)).mode & 0o077).toBe(0)
  })

  it('throws when its file is corrupt', () => {
    createFencing(serial, openRecords(dir)).raise(erase(7n))
    const [name] = readdirSync(dir)
    writeFileSync(join(dir, name ?? ''), '{"serial":')
    expect(() => openRecords(dir)).toThrow()
  })
})

describe('the assignment', () => {
  it('does not move to another phone under an equal number, nor under a higher number before a wipe', () => {
    const fencing = createFencing(serial, openRecords(dir))
    wipe(fencing, 1n)
    fencing.raise(use(2n, 'ph_a'))
    expect(reasonOf(() => fencing.raise(use(2n, 'ph_b')))).toBe('number_taken')
    expect(reasonOf(() => fencing.hold(use(2n, 'ph_b')))).toBe('not_assigned')
    expect(reasonOf(() => fencing.raise(use(3n, 'ph_b')))).toBe('not_wiped')
    // A refused call aborts nothing and changes nothing.
    expect(fencing.hold(use(2n, 'ph_a')).aborted).toBe(false)
    wipe(fencing, 3n)
    expect(reasonOf(() => fencing.raise(use(4n, 'ph_b')))).toBeNull()
  })

  it('survives an agent restart', () => {
    const before = createFencing(serial, openRecords(dir))
    wipe(before, 1n)
    before.raise(use(2n, 'ph_a'))
    before.written()
    const after = createFencing(serial, openRecords(dir))
    expect(after.custody).toMatchObject({ dirty: true, assignment: { phoneId: 'ph_a', fencingNumber: '2' } })
    expect(after.hold(use(2n, 'ph_a')).aborted).toBe(false)
    expect(reasonOf(() => after.raise(use(3n, 'ph_b')))).toBe('not_wiped')
  })

  it('treats a record from before assignments as a used device and keeps its number', () => {
    createFencing(serial, openRecords(dir)).raise(erase(7n))
    const path = join(dir, readdirSync(dir)[0] ?? '')
    const record = JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>
    const added = ['numberHolder', 'numberErases', 'assignment', 'dirty', 'clean', 'revision']
    const old = Object.fromEntries(Object.entries(record).filter(([name]) => !added.includes(name)))
    // The record of a wiped, free device.
    writeFileSync(path, JSON.stringify({ ...old, wiped: { fencingNumber: '7', checks: [] } }))
    const fencing = createFencing(serial, openRecords(dir))
    expect(fencing.current).toBe(7n)
    expect(reasonOf(() => fencing.raise(use(8n)))).toBe('not_wiped')
    expect(reasonOf(() => fencing.hold(use(7n)))).toBe('not_assigned')
    wipe(fencing, 8n)
    expect(reasonOf(() => fencing.raise(use(9n)))).toBeNull()
  })
})
