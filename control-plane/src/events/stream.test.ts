/** Streams with short times, over the real numbering. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createChanges, eventTopic, type Changes } from '../core/changes.js'
import { eventually, useWorld, type Plane, type Tenant } from '../testing/world.js'
import { createEventService } from './service.js'
import { type StreamItem } from './types.js'

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

it('sends a comment while nothing happens, and continues afterwards', async () => {
  const leaving = new AbortController()
  const service = createEventService(plane.app.core, changes, 100)
  const filter = { type: null, phoneId: null }
  const items: StreamItem[] = []
  const stream = await service.stream(tenant.caller, filter, null, leaving.signal)
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
