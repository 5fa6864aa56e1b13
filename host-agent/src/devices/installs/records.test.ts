/** Install records on a real disk. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openInstallRecords, type InstallRecord, type Outcome } from './records.js'

let dir: string
let path: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'phonerack-installs-'))
  path = join(dir, 'installs.json')
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

const hour = 3600_000
const success: Outcome = { kind: 'answered', succeeded: true, errorCode: '', reason: '' }
const recordOf = (id: string, more: Partial<InstallRecord> = {}): Omit<InstallRecord, 'at'> => ({
  id,
  serial: 'A',
  phoneId: 'ph_aaaaaaaaaaaa',
  package: 'org.example.shop',
  wasInstalled: false,
  uninstalled: false,
  session: null,
  outcome: success,
  ...more,
})

describe('records of installs', () => {
  it('return the same outcomes after a restart, and report unfinished installs as unknown', () => {
    const outcomes: fc.Arbitrary<Outcome | null> = fc.constantFrom(null, success, {
      kind: 'unknown' as const,
    })
    const step = fc.record({
      id: fc.constantFrom('a', 'b', 'c'),
      outcome: outcomes,
      session: fc.option(fc.nat()),
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 8 }), (steps) => {
        rmSync(path, { force: true })
        const records = openInstallRecords(path, [])
        for (const { id, outcome, session } of steps) records.save(recordOf(id, { outcome, session }))
        const again = openInstallRecords(path, [])
        for (const id of ['a', 'b', 'c']) {
          const before = records.get(id)
          expect(again.get(id)).toEqual(
            before && { ...before, outcome: before.outcome ?? { kind: 'unknown' } },
          )
        }
        const left = again.leftoverSessions('A').map(({ session }) => session)
        expect(left).toEqual(
          ['a', 'b', 'c']
            .flatMap((id) => again.get(id)?.session ?? [])
            .sort((a, b) => left.indexOf(a) - left.indexOf(b)),
        )
      }),
      { numRuns: 40 },
    )
  })

  it('mark installs that the journal left open as unknown, and keep their other fields', () => {
    const first = openInstallRecords(path, [])
    first.save(recordOf('a', { session: 7, wasInstalled: true }))
    const open = (id: string) => ({ id, serial: 'A', phoneId: 'ph_aaaaaaaaaaaa' })
    const second = openInstallRecords(path, [open('a'), open('b')])
    for (const records of [second, openInstallRecords(path, [])]) {
      expect(records.get('a')).toMatchObject({ outcome: { kind: 'unknown' }, session: 7, wasInstalled: true })
      expect(records.get('b')).toMatchObject({ outcome: { kind: 'unknown' }, session: null })
    }
  })

  it('are kept for a day, and installs in progress until they end', () => {
    let now = 0
    const records = openInstallRecords(path, [], () => now)
    records.save(recordOf('old'))
    records.save(recordOf('running', { outcome: null }))
    now = 23 * hour
    records.save(recordOf('new'))
    expect(records.get('old')).not.toBeNull()
    now = 25 * hour
    records.save(recordOf('newest'))
    expect(['old', 'running', 'new', 'newest'].filter((id) => records.get(id))).toEqual([
      'running',
      'new',
      'newest',
    ])
  })

  it('stop the agent when they are unreadable, so that nothing is lost silently', () => {
    writeFileSync(path, '[{"id":"a"')
    expect(() => openInstallRecords(path, [])).toThrow(SyntaxError)
    writeFileSync(path, '[{"id":"a"}]')
    expect(() => openInstallRecords(path, [])).toThrow('serial')
  })
})
