/** Streams with short times, over the real numbering. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createChanges, eventTopic, type Changes } from '../../base/core/changes.js'
import { eventually, useWorld, type Plane, type Tenant } from '../../testing/world.js'
import { renewEpoch } from '../../base/db/epoch.js'
import { inTransaction } from '../../base/db/database.js'
import { watchQueries } from '../../testing/query-log.js'
import { createEventService } from './service.js'
import { type EventFilter, type StreamItem } from './types.js'

const world = useWorld()
let plane: Plane
let tenant: Tenant
let changes: Changes
beforeAll(async () => {
  plane = await world.start()
  tenant = await plane.tenant()
  changes = createChanges(plane.app.core.bus, eventTopic)
})
afterAll(() => changes.close())

const happen = (type: string) =>
  plane.app.core.db
    .$queryRaw`select write_event(${tenant.projectId}, null, ${type}, '{"balance": {}}')::text as written`

const all: EventFilter = { type: null, phoneId: null }

/** Reads a stream until it ends or the returned function is called. */
async function follow(lastEventId: string | null, filter = all) {
  const leaving = new AbortController()
  const service = createEventService(plane.app.core, changes)
  const items: StreamItem[] = []
  const stream = await service.stream(tenant.caller, filter, lastEventId, leaving.signal)
  const ended = (async () => {
    for await (const item of stream) items.push(item)
  })()
  await eventually(() => items.length > 0)
  return {
    items,
    ended,
    ids: () => items.flatMap((item) => (item.kind === 'event' ? [item.event.id] : [])),
    async leave() {
      leaving.abort()
      await ended
    },
  }
}
const positionOf = (items: readonly StreamItem[]): string => {
  const found = items.findLast((item) => item.kind === 'position')
  if (found?.kind !== 'position') throw new Error('the stream has no position')
  return found.id
}
const restore = () => inTransaction(plane.app.core.db, (tx) => renewEpoch(tx, new Date()))

it('sends a comment while nothing happens, and continues afterwards [41.24]', async () => {
  const leaving = new AbortController()
  const service = createEventService(plane.app.core, changes, 100)
  const items: StreamItem[] = []
  const stream = await service.stream(tenant.caller, all, null, leaving.signal)
  const reading = (async () => {
    for await (const item of stream) items.push(item)
  })()
  await eventually(() => items.filter(({ kind }) => kind === 'idle').length >= 3)
  await happen('balance.low')
  await eventually(() => items.some(({ kind }) => kind === 'event'))
  expect(items[0]?.kind).toBe('position')
  expect(items.filter(({ kind }) => kind === 'event')).toHaveLength(1)
  leaving.abort()
  await reading
})

it('does not read events again that its filter leaves out', async () => {
  const leaving = new AbortController()
  const service = createEventService(plane.app.core, changes)
  const items: StreamItem[] = []
  const stream = await service.stream(
    tenant.caller,
    { type: 'upload.ready', phoneId: null },
    null,
    leaving.signal,
  )
  const reading = (async () => {
    for await (const item of stream) items.push(item)
  })()
  for (let each = 0; each < 5; each += 1) await happen('balance.low')
  await happen('upload.ready')
  await eventually(() => items.some(({ kind }) => kind === 'event'))
  expect(items.flatMap((item) => (item.kind === 'event' ? [item.event.type] : []))).toEqual(['upload.ready'])
  leaving.abort()
  await reading
})

it('has a gap after a position of before a restore, even if the numbers have caught up [41.18]', async () => {
  const first = await follow(null)
  await happen('balance.low')
  await eventually(() => first.ids().length === 1)
  await restore()
  await happen('balance.low')
  // The stream ends, since the server cannot know which events the client misses.
  await first.ended
  const position = positionOf(first.items)
  const again = await follow(position)
  expect(again.items[0]).toEqual({ kind: 'gap', lastEventId: position })
  await again.leave()
  // The stream can begin after an event that has not expired.
  const known = await follow(first.ids()[0] ?? '')
  await eventually(() => known.ids().length === 1)
  expect(known.items.map(({ kind }) => kind)).not.toContain('gap')
  await known.leave()
})

it('sends its position after a gap, so that the gap is not repeated [41.19]', async () => {
  const filter: EventFilter = { type: 'upload.failed', phoneId: null }
  const first = await follow('evt_aaaaaaaaaaaa', filter)
  await eventually(() => first.items.length === 2)
  expect(first.items[0]).toEqual({ kind: 'gap', lastEventId: 'evt_aaaaaaaaaaaa' })
  await first.leave()
  const second = await follow(positionOf(first.items), filter)
  expect(second.items[0]?.kind).toBe('position')
  await second.leave()
  // The position follows the events that are kept.
  const kept = await follow('evt_aaaaaaaaaaaa')
  await eventually(() => kept.items.at(-1)?.kind === 'position')
  expect(kept.ids().length).toBeGreaterThan(1)
  await kept.leave()
})

it('sends one statement for each event', async () => {
  const stream = await follow(null)
  await happen('balance.low')
  await eventually(() => stream.ids().length === 1)
  const log = watchQueries()
  await happen('balance.low')
  await eventually(() => stream.ids().length === 2)
  const reads = log.texts.filter((text) => text.includes('event_state') && !text.includes('for update'))
  log.stop()
  await stream.leave()
  // The message of this replica, and its own echo from the broker.
  expect(reads.filter((text) => !text.includes('insert into')).length).toBeLessThanOrEqual(2)
})

it('does not tell how many events all projects have [41.20]', async () => {
  await eventually(async () => (await plane.app.core.db.outboxEvent.count()) === 0)
  const number = '712345678901'
  await plane.app.core.db.$executeRaw`update event_state set last_number = ${BigInt(number)} where id = 1`
  const stream = await follow(null)
  const shown = (text: string): boolean =>
    [0, 1, 2, 3].some((skipped) =>
      Buffer.from(text.slice(skipped), 'base64url').toString('latin1').includes('7123456789'),
    )
  const position = positionOf(stream.items)
  for (let each = 0; each < 2; each += 1) await happen('balance.low')
  await eventually(() => stream.ids().length === 2)
  const service = createEventService(plane.app.core, changes)
  const page = await service.list(tenant.caller, all, { limit: 1, cursor: null })
  expect([shown(position), shown(page.nextCursor ?? '')]).toEqual([false, false])
  expect(page.nextCursor).not.toBeNull()
  await stream.leave()
})
