/** The fencing number, over restarts too. */
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createFencing, FencingRefused } from './fencing.js'
import { openRecords } from './records.js'

let dir: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'phonerack-fencing-'))
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

const serial = '127.0.0.1:6001'

describe('the fencing number', () => {
  it('never goes down, whatever calls come and however often the agent restarts', () => {
    const call = fc.record({
      kind: fc.constantFrom('hold', 'raise', 'restart'),
      number: fc.bigInt({ min: 0n, max: 8n }),
    })
    fc.assert(
      fc.property(fc.array(call, { maxLength: 30 }), (calls) => {
        const fresh = mkdtempSync(join(dir, 'run-'))
        let fencing = createFencing(serial, openRecords(fresh))
        let highest = 0n
        for (const { kind, number } of calls) {
          if (kind === 'restart') fencing = createFencing(serial, openRecords(fresh))
          else if (kind === 'hold') {
            if (number === highest && number > 0n) expect(fencing.hold(number).aborted).toBe(false)
            else expect(() => fencing.hold(number)).toThrow(FencingRefused)
          } else if (number < highest || number === 0n) {
            expect(() => fencing.raise(number)).toThrow(FencingRefused)
          } else {
            fencing.raise(number)
            highest = number
          }
          expect(fencing.current).toBe(highest)
        }
      }),
      { numRuns: 60 },
    )
  })

  it('aborts what holds an older one, and not what holds the same', () => {
    const fencing = createFencing(serial, openRecords(dir))
    const first = fencing.raise(1n)
    expect(fencing.raise(1n)).toBe(first)
    expect(fencing.hold(1n)).toBe(first)
    const second = fencing.raise(2n)
    expect(first.aborted).toBe(true)
    expect(second.aborted).toBe(false)
    expect(() => fencing.hold(1n)).toThrow(FencingRefused)
  })

  it('is on disk before it counts, for the owner only, and apart for each device', () => {
    const records = openRecords(dir)
    createFencing(serial, records).raise(7n)
    createFencing('other', records).raise(3n)
    const again = openRecords(dir)
    expect(again.get(serial).fencingNumber).toBe('7')
    expect(again.get('other').fencingNumber).toBe('3')
    expect(again.serials().toSorted()).toEqual([serial, 'other'])
    for (const name of readdirSync(dir)) expect(statSync(join(dir, name)).mode & 0o077).toBe(0)
  })

  it('is not forgotten silently when its file is broken', () => {
    createFencing(serial, openRecords(dir)).raise(7n)
    const [name] = readdirSync(dir)
    writeFileSync(join(dir, name ?? ''), '{"serial":')
    expect(() => openRecords(dir)).toThrow()
  })
})
