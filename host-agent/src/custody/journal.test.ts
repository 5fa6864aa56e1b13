/** The journal after the agent is killed. */
import { appendFileSync, copyFileSync, mkdtempSync, openSync, rmSync, statSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openJournal } from './journal.js'

let dir: string
let path: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'phonerack-journal-'))
  path = join(dir, 'journal.jsonl')
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

const now = () => new Date('2026-01-02T03:04:05Z')
const write = (id: string) => ({
  id,
  serial: 's',
  phoneId: 'ph_aaaaaaaaaaaa',
  fencingNumber: '1',
  kind: 'batch' as const,
  requestId: '',
})

describe('after a crash', () => {
  it('returns exactly the entries that began and did not end, once', () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { maxLength: 20 }), (ended) => {
        const here = join(mkdtempSync(join(dir, 'run-')), 'journal.jsonl')
        const journal = openJournal(here, now)
        ended.forEach((ends, index) => {
          const end = journal.begin(write(`op${index}`))
          if (ends) end()
        })
        // The journal is not closed, since the process has died.
        const open = ended.flatMap((ends, index) => (ends ? [] : [`op${index}`]))
        expect(openJournal(here, now).leftOpen.map(({ begin }) => begin)).toEqual(open)
        expect(openJournal(here, now).leftOpen).toEqual([])
      }),
      { numRuns: 50 },
    )
  })

  it('has an entry on disk when `begin` returns', () => {
    const journal = openJournal(path, now)
    journal.begin(write('op'))
    const seen = join(dir, 'seen.jsonl')
    copyFileSync(path, seen)
    expect(openJournal(seen, now).leftOpen).toEqual([
      { ...write('op'), id: undefined, begin: 'op', at: '2026-01-02T03:04:05.000Z' },
    ])
    journal.close()
  })

  it('treats a truncated line as not begun', () => {
    openJournal(path, now).close()
    appendFileSync(path, '{"begin":"half')
    expect(openJournal(path, now).leftOpen).toEqual([])
  })
})

describe('after many entries', () => {
  it('stays small and keeps the open entries', () => {
    const journal = openJournal(path, now)
    journal.begin(write('still open'))
    for (let index = 0; index < 12_000; index += 1) journal.begin(write(`op${index}`))()
    expect(statSync(path).size).toBeLessThan(2 << 20)
    journal.close()
    expect(openJournal(path, now).leftOpen.map(({ begin }) => begin)).toEqual(['still open'])
  })
})

it.each([1, 2, 3])('keeps every line when no file can be opened after %i', (allowed) => {
  let opened = 0
  const journal = openJournal(path, now, {
    open(file) {
      opened += 1
      if (opened > allowed) throw Object.assign(new Error('EMFILE'), { code: 'EMFILE', syscall: 'open' })
      return openSync(file, 'a')
    },
  })
  while (opened <= allowed) journal.begin(write('ended'))()
  journal.begin(write('running'))
  const seen = join(dir, 'seen.jsonl')
  copyFileSync(path, seen)
  expect(openJournal(seen, now).leftOpen.map(({ begin }) => begin)).toEqual(['running'])
  journal.close()
})

describe('on a full disk', () => {
  /** A disk with space for some bytes, which also writes parts of lines. */
  const diskOf = (room: { bytes: number }) => (file: number, bytes: Buffer, offset: number) => {
    const fits = Math.min(room.bytes, bytes.length - offset)
    if (fits === 0) throw Object.assign(new Error('ENOSPC'), { code: 'ENOSPC', syscall: 'write' })
    room.bytes -= fits
    return writeSync(file, bytes, offset, fits)
  }
  const namesIn = (file: string) => openJournal(file, now).leftOpen.map(({ begin }) => begin)

  it('begins no write that it cannot store, ends running writes, and is readable at each moment', () => {
    const step = fc.oneof(
      fc.constant('begin' as const),
      fc.constant('end' as const),
      fc.integer({ min: 0, max: 400 }),
    )
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const folder = mkdtempSync(join(dir, 'run-'))
        const here = join(folder, 'journal.jsonl')
        const room = { bytes: 300 }
        const journal = openJournal(here, now, { write: diskOf(room) })
        const running = new Map<string, () => void>()
        const ended: string[] = []
        for (const [index, next] of steps.entries()) {
          if (typeof next === 'number') room.bytes += next
          else if (next === 'begin') {
            try {
              running.set(`op${index}`, journal.begin(write(`op${index}`)))
            } catch (error) {
              expect(error).toMatchObject({ code: 'ENOSPC' })
            }
          } else {
            const [first] = running
            if (first === undefined) continue
            expect(first[1]).not.toThrow()
            running.delete(first[0])
            ended.push(first[0])
          }
          const seen = join(folder, 'seen.jsonl')
          copyFileSync(here, seen)
          const found = namesIn(seen)
          // The list contains all running writes, and some ended writes whose end the full disk refused.
          expect(found).toEqual(expect.arrayContaining([...running.keys()]))
          for (const name of found) expect([...running.keys(), ...ended]).toContain(name)
        }
        room.bytes += 10_000
        journal.close()
        expect(namesIn(here)).toEqual([...running.keys()])
      }),
      { numRuns: 100 },
    )
  })
})
