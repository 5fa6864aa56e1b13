/** Follows each `next` about events and webhooks. */
import { limits, newId } from '@phonerack/shared'
import { beforeAll, expect, it } from 'vitest'
import { openEvents } from '../../testing/event-stream.js'
import { createKey } from '../../testing/operator.js'
import { createFollower, type Follower } from '../../testing/next/follow.js'
import { type Plane } from '../../testing/world.js'

export function eventCases(planeOf: () => Plane, seen: string[]): void {
  let plane: Plane
  let api: Follower
  beforeAll(async () => {
    plane = planeOf()
    api = createFollower(plane, await plane.tenant(), seen)
  })

  const body = { url: 'https://agents.example.com/hook' }
  const create = async (): Promise<string> =>
    (await api.done('POST', '/v1/webhooks', body)).json<{ id: string }>().id

  it('too many streams of events: the request after a stream is closed', async () => {
    if (!plane.server.server.listening) await plane.server.listen({ host: '127.0.0.1', port: 0 })
    const open = () => openEvents(plane.server, api.tenant.key)
    const streams = await Promise.all(Array.from({ length: limits.eventStreamsPerKey }, open))
    const accept = { accept: 'text/event-stream' }
    const { next } = await api.refused(429, 'rate_limited', 'GET', '/v1/events', undefined, accept)
    expect(next).toMatch(/^Close one of them/)
    streams.pop()?.close()
    await expect
      .poll(async () => {
        const stream = await open()
        streams.push(stream)
        return stream.status
      })
      .toBe(200)
    for (const stream of streams) stream.close()
  })

  it('an unknown webhook or delivery: the list', async () => {
    const unknown = await api.refused(404, 'webhook_not_found', 'GET', '/v1/webhooks/whk_aaaaaaaaaaaa')
    await api.follow(unknown.next)
    const url = `/v1/webhooks/${await create()}/deliveries/dlv_aaaaaaaaaaaa/retry`
    await api.follow((await api.refused(404, 'event_not_found', 'POST', url)).next)
  })

  it('too many webhooks: the list, and a delete', async () => {
    for (let each = 1; each < 10; each += 1) await create()
    const { next } = await api.refused(409, 'webhook_limit_reached', 'POST', '/v1/webhooks', body)
    const [list] = await api.follow(next)
    const [first] = list?.json<{ data: { id: string }[] }>().data ?? []
    await api.done('DELETE', `/v1/webhooks/${first?.id}`)
    await create()
  })

  it('too many waiting tests: the deliveries, and a test', async () => {
    const [list] = await api.follow('GET /v1/webhooks')
    const id = list?.json<{ data: { id: string }[] }>().data[0]?.id ?? ''
    const [now, later] = [new Date(), new Date(Date.now() + 3_600_000)]
    const { db } = plane.app.core
    await db.webhookDelivery.createMany({
      data: Array.from({ length: limits.webhooks.byHand }, () => ({
        id: newId('delivery'),
        webhookId: id,
        status: 'pending',
        createdAt: now,
        nextAttemptAt: later,
        testEvent: { id: newId('event'), type: 'webhook.test', createdAt: now, data: {} },
      })),
    })
    const url = `/v1/webhooks/${id}/test`
    const { next } = await api.refused(429, 'rate_limited', 'POST', url)
    await api.follow(next)
    await db.webhookDelivery.deleteMany({ where: { webhookId: id } })
    await api.done('POST', url)
  })

  it('a key that is limited to phones: the events of its phones', async () => {
    const { projectId } = api.tenant
    await plane.app.core.db.phone.create({
      data: {
        id: 'ph_aaaaaaaaaaac',
        projectId,
        keyId: 'k',
        name: 'a',
        status: 'parked',
        createdAt: new Date(),
      },
    })
    const { key } = await createKey(plane.app.core, {
      project: projectId,
      preset: 'agent',
      expires: 'never',
      phones: ['ph_aaaaaaaaaaac'],
    })
    const limited = createFollower(plane, { ...api.tenant, key }, seen)
    const { next } = await limited.refused(403, 'phone_not_allowed', 'GET', '/v1/webhooks')
    const [events] = await limited.follow(next)
    await expect
      .poll(async () => {
        const answer = await limited.send('GET', '/v1/events')
        return answer.json<{ data: unknown[] }>().data.length
      })
      .toBeGreaterThan(0)
    expect(events?.statusCode).toBe(200)
  })
}
