import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isRunning, moveFor, phoneEvents, type PhoneEvent } from './machine.js'
import { endReasons, phoneStatuses, type EndReason, type PhoneStatus } from '../../base/core/statuses.js'

const event = fc.constantFrom(...phoneEvents)

/** Every row of interface.md's table of transitions, and the additions of decisions.md. */
const rows: [PhoneStatus[], PhoneEvent, PhoneStatus, EndReason | null][] = [
  [['creating', 'starting'], 'became_ready', 'ready', null],
  [['parked', 'unavailable'], 'start', 'starting', null],
  [['ready'], 'restart', 'starting', null],
  [['ready', 'creating', 'starting'], 'park', 'parking', 'parked'],
  [['parking'], 'parked', 'parked', null],
  [['ready'], 'idle', 'parking', 'idle'],
  [['ready', 'creating', 'starting'], 'max_duration', 'parking', 'max_duration'],
  [['creating', 'starting', 'ready'], 'fail', 'failed', 'failed'],
  [['parking', 'parked', 'unavailable'], 'fail', 'failed', null],
  [['creating'], 'create_failed', 'failed', 'failed'],
  [['starting'], 'start_failed', 'parking', 'failed'],
  [['creating', 'starting', 'ready'], 'delete', 'deleted', 'deleted'],
  [['parking', 'parked', 'unavailable', 'failed'], 'delete', 'deleted', null],
  [['creating', 'starting', 'ready'], 'lose', 'unavailable', 'unavailable'],
  [['creating', 'starting', 'ready'], 'freeze', 'parking', 'project_frozen'],
  [['creating', 'starting', 'ready'], 'pause', 'parking', 'service_paused'],
]

describe('the state machine', () => {
  it('has exactly the transitions of the specification [4.9]', () => {
    const expected = new Map(
      rows.flatMap(([from, name, to, endReason]) =>
        from.map((each) => [`${each} ${name}`, { to, endReason }]),
      ),
    )
    for (const from of phoneStatuses) {
      for (const name of phoneEvents) {
        expect([from, name, moveFor(from, name)]).toEqual([
          from,
          name,
          expected.get(`${from} ${name}`) ?? null,
        ])
      }
    }
  })

  it('deletes a phone with `on_idle: "delete"` exactly where it would park by itself or by its client', () => {
    for (const from of phoneStatuses) {
      for (const name of phoneEvents) {
        const usual = moveFor(from, name)
        const isEnd = ['park', 'idle', 'max_duration'].includes(name)
        expect([from, name, moveFor(from, name, 'delete')]).toEqual([
          from,
          name,
          isEnd && usual ? { to: 'deleted', endReason: usual.endReason } : usual,
        ])
      }
    }
  })

  it('allows the same transitions as the database [4.10]', () => {
    const file = '../../../prisma/migrations/20261120000100_invariants/migration.sql'
    const sql = readFileSync(new URL(file, import.meta.url), 'utf8')
    const inDatabase = [...sql.matchAll(/'([a-z]+>[a-z]+)'/g)].map((match) => match[1])
    const specified = rows.flatMap(([from, , to]) => from.map((each) => `${each}>${to}`))
    expect(new Set(inDatabase)).toEqual(new Set(specified))
  })

  it('never leaves deleted, and leaves failed only to deleted', () => {
    fc.assert(
      fc.property(event, (name) => {
        expect(moveFor('deleted', name)).toBeNull()
        expect(moveFor('failed', name)?.to ?? 'deleted').toBe('deleted')
      }),
    )
  })

  it('has an open session exactly while the phone runs, over any history [4.3]', () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 40 }), (events) => {
        let now: PhoneStatus = 'creating'
        let open = true
        for (const name of events) {
          const move = moveFor(now, name)
          if (!move) continue
          if (move.endReason) {
            expect(open).toBe(true)
            expect(endReasons).toContain(move.endReason)
            open = false
          }
          if (name === 'start') open = true
          now = move.to
          expect(open).toBe(isRunning(now))
        }
      }),
    )
  })
})
