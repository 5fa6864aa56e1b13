/** Events of real changes, read as a list and as a stream on two replicas with real Postgres and broker. */
import { newId } from '@phonerack/shared'
import { beforeAll, describe, expect, it } from 'vitest'
import { eventSchema } from '../../api/routes/events/schemas.js'
import { errorOf, expectConventions } from '../../testing/api.js'
import { openEvents, type StreamClient } from '../../testing/event-stream.js'
import { createKey, revokeKey } from '../../testing/operator.js'
import { readyPhone } from '../../testing/ready-phone.js'
import { eventually, useWorld, type Plane, type Tenant } from '../../testing/world.js'
import { expireEvents } from './expiry.js'
import { type EventJson } from './types.js'

const world = useWorld()
let plane: Plane
let replica: Plane
let tenant: Tenant

beforeAll(async () => {
  plane = await world.start()
  replica = await world.start({ beside: plane, env: { PHONERACK_JOBS: 'off' } })
  for (const each of [plane, replica]) await each.server.listen({ host: '127.0.0.1', port: 0 })
  await plane.rack(2, { beatMs: 200 })
  tenant = await plane.tenant({ credit: '1000' })
})

const list = (query = '', { on = plane, key = tenant.key } = {}) =>
  on.server.inject({ url: `/v1/events${query}`, headers: { authorization: `Bearer ${key}` } })

async function eventsOf(query = '', options = {}): Promise<EventJson[]> {
  const answer = await list(query, options)
  expect([answer.statusCode, answer.body.slice(0, 300)]).toEqual([200, answer.body.slice(0, 300)])
  const { data } = answer.json<{ data: EventJson[] }>()
  for (const event of data) expect(eventSchema.strict().safeParse(event).success).toBe(true)
  return data
}
const typesOf = (events: readonly EventJson[]): string[] => events.map(({ type }) => type)
const receivedTypes = ({ frames }: StreamClient) => frames.map(({ event }) => event)
const lastOf = (client: StreamClient) => client.frames.at(-1)?.data as EventJson

describe('a life of a phone', () => {
  it('is listed, newest first, with each change once and the state at that time [41.1, 41.3, 41.6]', async () => {
    const id = await readyPhone(plane, tenant)
    await plane.app.services.phones.park(tenant.caller, id)
    await eventually(async () => (await plane.app.services.phones.get(tenant.caller, id)).status === 'parked')
    await plane.app.services.phones.delete(tenant.caller, id)
    await eventually(async () => typesOf(await eventsOf(`?phone=${id}`)).includes('phone.deleted'))
    const events = await eventsOf(`?phone=${id}`)
    expect(typesOf(events)).toEqual([
      'phone.deleted',
      'phone.parked',
      'session.ended',
      'phone.ready',
      'session.started',
      'phone.created',
    ])
    expect(events.every(({ phone_id: phone }) => phone === id)).toBe(true)
    const [deleted, , ended] = events
    expect(deleted?.data['phone']).toEqual({
      id,
      name: id,
      status: 'deleted',
      previous_status: 'parked',
      metadata: {},
      failure: null,
    })
    const session = ended?.data['session']
    expect(session).toMatchObject({ end_reason: 'parked', billed_seconds: 60, cost_usd: '0.060000' })
    expect(session?.['ended_at']).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    const times = events.map((event) => event.created_at)
    expect(times).toEqual([...times].sort().reverse())
  })

  it('is divided into pages, and filtered by type [41.2]', async () => {
    const all = await eventsOf('?limit=100')
    const found: EventJson[] = []
    let cursor = ''
    do {
      const answer = await list(`?limit=2${cursor}`)
      expectConventions(answer)
      const page = answer.json<{ data: EventJson[]; next_cursor: string | null }>()
      found.push(...page.data)
      cursor = page.next_cursor === null ? '' : `&cursor=${page.next_cursor}`
    } while (cursor !== '')
    expect(found).toEqual(all)
    expect(typesOf(await eventsOf('?type=phone.ready'))).toEqual(['phone.ready'])
    expect(await eventsOf('?type=upload.ready')).toEqual([])
    const refused = errorOf(await list('?type=phone.rdy'), 400, 'validation_failed')
    expect(refused.details.issues?.[0]?.alternatives).toContain('phone.ready')
    errorOf(await list('?cursor=x'), 400, 'validation_failed')
    errorOf(await list(`?phone=${newId('phone')}`), 404, 'phone_not_found')
    errorOf(await list('?phone=x'), 404, 'phone_not_found')
  })

  it('is hidden from other projects [41.4]', async () => {
    const other = await plane.tenant()
    expect(await eventsOf('', { key: other.key })).toEqual([])
  })
})

describe('a stream', () => {
  it('gets new events on another replica within a second, in their order [41.11]', async () => {
    const client = await openEvents(replica.server, tenant.key)
    expect([client.status, client.headers.get('content-type')]).toEqual([
      200,
      'text/event-stream; charset=utf-8',
    ])
    expect(client.headers.get('x-request-id')).toMatch(/^req_/)
    expect(client.headers.get('cache-control')).toBe('no-store')
    await eventually(() => client.lastId !== null)
    const id = await readyPhone(plane, tenant)
    await plane.app.services.phones.delete(tenant.caller, id)
    const committed = performance.now()
    await eventually(() => receivedTypes(client).includes('phone.deleted'))
    const took = performance.now() - committed
    // The requirement is a second; the message of the broker takes milliseconds.
    expect(took).toBeLessThan(1000)
    expect(receivedTypes(client)).toEqual([
      'phone.created',
      'session.started',
      'phone.ready',
      'session.ended',
      'phone.deleted',
    ])
    for (const { id: frameId, event, data } of client.frames) {
      const sent = eventSchema.strict().parse(data)
      expect([frameId, event]).toEqual([sent.id, sent.type])
    }
    expect(client.frames.map(({ data }) => data).reverse()).toEqual(await eventsOf(`?phone=${id}`))
    client.close()
  })

  it('continues after the last ID, on any replica, with nothing twice or left out [41.15]', async () => {
    const first = await openEvents(plane.server, tenant.key)
    await eventually(() => first.lastId !== null)
    const one = await readyPhone(plane, tenant)
    await eventually(() => receivedTypes(first).includes('phone.ready'))
    first.close()
    await first.ended
    const last = lastOf(first)
    await plane.app.services.phones.delete(tenant.caller, one)
    const second = await openEvents(replica.server, tenant.key, { lastEventId: last.id })
    await eventually(() => receivedTypes(second).includes('phone.deleted'))
    expect(receivedTypes(second)).toEqual(['session.ended', 'phone.deleted'])
    second.close()
  })

  it('continues from its beginning for a client that received no event [41.16]', async () => {
    const first = await openEvents(plane.server, tenant.key)
    await eventually(() => first.lastId !== null)
    first.close()
    await first.ended
    const id = await readyPhone(plane, tenant)
    const second = await openEvents(replica.server, tenant.key, { lastEventId: first.lastId ?? '' })
    await eventually(() => receivedTypes(second).includes('phone.ready'))
    expect(second.frames[0]?.event).toBe('phone.created')
    await plane.app.services.phones.delete(tenant.caller, id)
    second.close()
  })

  it('says that events have expired, then sends those that are kept [41.5, 41.17]', async () => {
    const { core } = plane.app
    await eventually(async () => (await core.db.outboxEvent.count()) === 0)
    const [newest] = await eventsOf('?limit=1')
    await core.db.event.updateMany({
      where: { projectId: tenant.projectId },
      data: { createdAt: new Date(Date.now() - 8 * 86_400_000) },
    })
    await expireEvents(core, core.rules.eventLifeMs)
    expect(await eventsOf()).toEqual([])
    const id = await readyPhone(plane, tenant)
    const client = await openEvents(plane.server, tenant.key, { lastEventId: newest?.id ?? '' })
    await eventually(() => receivedTypes(client).includes('phone.ready'))
    expect(client.frames[0]).toEqual({
      id: null,
      event: 'gap',
      data: { object: 'gap', type: 'gap', last_event_id: newest?.id },
    })
    expect(client.frames[1]?.event).toBe('phone.created')
    await plane.app.services.phones.delete(tenant.caller, id)
    client.close()
    const answer = await plane.server.inject({
      url: '/v1/events',
      headers: { authorization: `Bearer ${tenant.key}`, accept: 'text/event-stream', 'last-event-id': 'x' },
    })
    errorOf(answer, 400, 'validation_failed')
  })

  it('ends when its key is revoked on another replica, while it waits [41.25]', async () => {
    const { id, key } = await createKey(plane.app.core, {
      project: tenant.projectId,
      preset: 'read-only',
      expires: 'never',
    })
    const client = await openEvents(replica.server, key)
    await eventually(() => client.lastId !== null)
    await revokeKey(plane.app.core, id)
    await client.ended
    errorOf(await list('', { key }), 401, 'key_revoked')
  })

  it('has only the events of the phones that its key is limited to [41.26]', async () => {
    const mine = await readyPhone(plane, tenant)
    const { key } = await createKey(plane.app.core, {
      project: tenant.projectId,
      preset: 'agent',
      expires: 'never',
      phones: [mine],
    })
    const client = await openEvents(replica.server, key)
    await eventually(() => client.lastId !== null)
    const other = await readyPhone(plane, tenant)
    await plane.app.services.phones.delete(tenant.caller, other)
    await plane.app.services.phones.delete(tenant.caller, mine)
    await eventually(() => receivedTypes(client).includes('phone.deleted'))
    expect(new Set(client.frames.map(({ data }) => (data as EventJson).phone_id))).toEqual(new Set([mine]))
    const seen = await eventsOf('', { key })
    expect(new Set(seen.map((event) => event.phone_id))).toEqual(new Set([mine]))
    errorOf(await list(`?phone=${other}`, { key }), 403, 'phone_not_allowed')
    client.close()
  })
})
