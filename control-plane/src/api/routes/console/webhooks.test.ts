// Webhooks, events and the filtered activity of a project in the console, with a receiver that verifies signatures.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventTypes } from '../../../events/events/types.js'
import { consoleUser, type ConsoleAnswer, type ConsoleClient } from '../../../testing/console-client.js'
import { startReceiver, type Receiver } from '../../../testing/receiver.js'
import { hooksOf } from '../../../testing/webhooks.js'
import { createBody, eventually, useWorld, type Plane, type Tenant } from '../../../testing/world.js'

const world = useWorld()
let plane: Plane
let tenant: Tenant
let receiver: Receiver
/** The path of the project. */
let of: string
let viewer: ConsoleClient
let member: { client: ConsoleClient; userId: string }

beforeAll(async () => {
  plane = await world.start({ env: { PHONERACK_WEBHOOK_ALLOW: '127.0.0.0/8' } })
  await plane.rack(1, { beatMs: 200 })
  tenant = await plane.tenant({ credit: '1000' })
  of = `/projects/${tenant.projectId}`
  viewer = (await consoleUser(plane, { role: 'viewer', projectId: tenant.projectId })).client
  member = await consoleUser(plane, { role: 'member', projectId: tenant.projectId })
  receiver = await startReceiver()
})
afterAll(() => receiver.close())

const codeOf = ({ body }: ConsoleAnswer): string => (body['error'] as { code: string }).code

interface Delivery {
  id: string
  type: string
  status: string
  attempts: number
  error: string | null
  response: { status: number; body: string } | null
}

async function create(fields: object = {}) {
  const { status, body } = await member.client.ask('POST', `${of}/webhooks`, {
    body: { url: receiver.url, ...fields },
  })
  expect(status, JSON.stringify(body)).toBe(201)
  receiver.secrets.push(String(body['secret']))
  const id = String(body['id'])
  return { id, body, path: `${of}/webhooks/${id}` }
}
const remove = ({ path }: { path: string }) => member.client.ask('DELETE', path)
const listed = async (client = viewer) =>
  (await client.ask('GET', `${of}/webhooks`)).body as { data: Record<string, unknown>[]; types: string[] }
const deliveries = async (path: string) =>
  ((await viewer.ask('GET', `${path}/deliveries`)).body as { data: Delivery[] }).data
const first = async (path: string, is: (delivery: Delivery) => boolean): Promise<Delivery> => {
  await eventually(async () => (await deliveries(path)).some(is))
  const [found] = (await deliveries(path)).filter(is)
  if (!found) throw new Error('the delivery is gone')
  return found
}

describe('a webhook', () => {
  it('is created by a member, shows its secret once, and gets the events that it names', async () => {
    const webhook = await create({ events: ['balance.low'], description: '<b>shop</b>' })
    expect(webhook.body).toMatchObject({
      url: receiver.url,
      events: ['balance.low'],
      enabled: true,
      switched_off: null,
      secret: expect.stringMatching(/^whsec_/) as unknown,
      is_secret_readable: true,
    })
    const { data, types } = await listed(member.client)
    expect(types).toEqual(eventTypes)
    expect(data).toMatchObject([{ description: '<b>shop</b>', url: receiver.url }])
    expect(JSON.stringify(data)).not.toContain('whsec_')
    await hooksOf(plane, tenant).happen('balance.low')
    await eventually(() => receiver.received.length === 1)
    expect(receiver.forged).toBe(0)
    await remove(webhook)
    expect((await listed()).data).toEqual([])
  })

  it('shows viewers the host of its address, and not the token in it', async () => {
    const { origin } = new URL(receiver.url)
    const webhook = await create({ url: `${origin}/services/T0/secret-token?key=secret-key` })
    const [seen] = (await listed()).data
    expect(seen).toMatchObject({ id: webhook.id, url: `${origin}/…` })
    expect(JSON.stringify(await listed())).not.toContain('secret-')
    expect(JSON.stringify(await deliveries(webhook.path))).not.toContain('secret-')
    expect((await listed(member.client)).data).toMatchObject([{ url: webhook.body['url'] }])
    await remove(webhook)
    const facts = JSON.stringify({ webhook: { id: webhook.id, url: webhook.body['url'] } })
    await plane.app.core.db
      .$queryRaw`select write_event(${tenant.projectId}, null, 'webhook.disabled', ${facts}::jsonb)::text as written`
    const events = (client: ConsoleClient) => client.ask('GET', `${of}/events?type=webhook.disabled`)
    await eventually(async () => JSON.stringify(await events(member.client)).includes('secret-key'))
    const { body } = await events(viewer)
    expect(body['data']).toMatchObject([{ data: { webhook: { id: webhook.id, url: `${origin}/…` } } }])
    expect(JSON.stringify(body)).not.toContain('secret-')
  })

  it('is changed and switched by members, never by viewers, and with a recent sign-in where it must be', async () => {
    const { path, id } = await create()
    const { client, userId } = await consoleUser(plane, { role: 'member', projectId: tenant.projectId })
    const hourAgo = new Date(Date.now() - 3_600_000)
    await plane.app.core.db.userSession.updateMany({ where: { userId }, data: { createdAt: hourAgo } })
    for (const [method, at, body] of [
      ['POST', `${of}/webhooks`, { url: receiver.url }],
      ['PATCH', path, { url: `${receiver.url}/other` }],
      ['POST', `${path}/rotate`, {}],
    ] as const) {
      expect(codeOf(await viewer.ask(method, at, { body }))).toBe('insufficient_scope')
      expect(codeOf(await client.ask(method, at, { body }))).toBe('unauthorized')
    }
    // The request that the page repeats is not an entry of the activity.
    expect(await plane.app.core.db.activity.count({ where: { keyId: userId } })).toBe(0)
    const off = await client.ask('PUT', `${path}/enabled`, { body: { enabled: false } })
    expect(off.body).toMatchObject({
      enabled: false,
      switched_off: { at: expect.any(String) as unknown, is_after_failures: false },
    })
    const on = await client.ask('PUT', `${path}/enabled`, { body: { enabled: true } })
    expect(on.body).toMatchObject({ enabled: true, switched_off: null })
    const changed = await member.client.ask('PATCH', path, { body: { events: ['phone.ready'] } })
    expect(changed.body).toMatchObject({ id, url: receiver.url, events: ['phone.ready'] })
    for (const body of [
      { events: ['nope'] },
      { events: [] },
      { url: 'ftp://x' },
      { enabled: false },
      { secret: 'x' },
    ])
      expect(codeOf(await member.client.ask('PATCH', path, { body }))).toBe('validation_failed')
    await eventually(async () => (await plane.app.core.db.activity.count({ where: { keyId: userId } })) === 2)
    await remove({ path })
  })

  it('says that it was switched off by failures, and that its secret is unreadable', async () => {
    const { path, id } = await create()
    const now = Date.now()
    await plane.app.core.db.webhook.update({
      where: { id },
      data: {
        disabledAt: new Date(now),
        failingSince: new Date(now - 3 * 86_400_000),
        secret: Buffer.from('from another installation'),
      },
    })
    expect((await listed()).data).toMatchObject([
      { enabled: false, switched_off: { is_after_failures: true }, is_secret_readable: false },
    ])
    const { body } = await member.client.ask('POST', `${path}/rotate`, { body: {} })
    expect(body).toMatchObject({
      secret: expect.stringMatching(/^whsec_/) as unknown,
      is_secret_readable: true,
    })
    await remove({ path })
  })

  it('is not found in another project', async () => {
    const { path } = await create()
    const other = await plane.tenant()
    const { client } = await consoleUser(plane, { role: 'owner', projectId: other.projectId })
    const theirs = path.replace(tenant.projectId, other.projectId)
    for (const [method, at] of [
      ['PATCH', theirs],
      ['PUT', `${theirs}/enabled`],
      ['DELETE', theirs],
      ['POST', `${theirs}/rotate`],
      ['POST', `${theirs}/test`],
      ['GET', `${theirs}/deliveries`],
    ] as const) {
      const body = method === 'PUT' ? { enabled: true } : {}
      const answer = await client.ask(method, at, method === 'GET' ? {} : { body })
      expect([at, codeOf(answer)]).toEqual([at, 'webhook_not_found'])
    }
    await remove({ path })
  })
})

describe('a delivery', () => {
  it('shows the bounded response as text, and is sent again', async () => {
    const { path } = await create({ events: ['balance.low'] })
    const hostile = `<script>alert(1)</script>${'x'.repeat(5000)}`
    receiver.answer = (_, response) => void response.writeHead(500).end(hostile)
    await hooksOf(plane, tenant).happen('balance.low')
    const failed = await first(path, ({ attempts }) => attempts > 0)
    expect(failed).toMatchObject({ type: 'balance.low', status: 'pending', error: 'status' })
    expect(failed.response?.status).toBe(500)
    expect(failed.response?.body).toMatch(/^<script>alert\(1\)<\/script>x+…$/)
    expect(failed.response?.body).toHaveLength(2001)
    receiver.answer = null
    const again = `${path}/deliveries/${failed.id}/retry`
    expect(codeOf(await viewer.ask('POST', again, { body: {} }))).toBe('insufficient_scope')
    expect((await member.client.ask('POST', again, { body: {} })).status).toBe(202)
    await first(path, ({ id, status }) => id === failed.id && status === 'succeeded')
    const missing = await member.client.ask('POST', again.replace(failed.id, 'dlv_aaaaaaaaaaaa'), {
      body: {},
    })
    expect(codeOf(missing)).toBe('event_not_found')

    const test = await member.client.ask('POST', `${path}/test`, { body: {} })
    expect([test.status, test.body]).toMatchObject([202, { type: 'webhook.test' }])
    await first(path, ({ type, status }) => type === 'webhook.test' && status === 'succeeded')
    await remove({ path })
  })
})

describe('events', () => {
  it('are listed for viewers, by type and phone', async () => {
    const { phones } = plane.app.services
    const { phone } = await phones.create(tenant.caller, createBody(), null)
    const list = async (query: string) => {
      const answer = await viewer.ask('GET', `${of}/events?${query}`)
      if (answer.status !== 200) return codeOf(answer)
      const { data } = answer.body as { data: { type: string; phone_id: string | null }[] }
      return data.map(({ type, phone_id: id }) => `${type} ${id}`)
    }
    await eventually(async () => (await list('type=phone.ready')).includes(`phone.ready ${phone.id}`))
    expect(await list('type=phone.ready')).toEqual([`phone.ready ${phone.id}`])
    expect(await list(`phone=${phone.id}&type=phone.created`)).toEqual([`phone.created ${phone.id}`])
    expect(await list(`phone=${phone.id}`)).not.toContain('balance.low null')
    expect(await list('type=nope')).toBe('validation_failed')
    expect(await list('phone=%00')).toBe('phone_not_found')
    expect(await list('phone=ph_aaaaaaaaaaaa')).toBe('phone_not_found')
    expect(await list('cursor=x')).toBe('validation_failed')
    expect(await list(`phone=${phone.id}&phone=${phone.id}`)).toBe('validation_failed')
  })
})

describe('the activity', () => {
  it('is limited to a key or person, a phone, and refused requests', async () => {
    const { db } = plane.app.core
    const { projectId } = await plane.tenant()
    const { client } = await consoleUser(plane, { role: 'viewer', projectId })
    const entry = (requestId: string, keyId: string, phoneId: string | null, status: number) => ({
      projectId,
      keyId,
      requestId,
      at: new Date(),
      method: 'POST',
      route: '/v1/phones',
      phoneId,
      status,
      code: null,
      ms: 1,
      summary: {},
    })
    await db.activity.createMany({
      data: [
        entry('one', 'key_aaaaaaaaaaaa', 'ph_aaaaaaaaaaaa', 200),
        entry('two', 'key_aaaaaaaaaaaa', null, 404),
        entry('three', 'usr_aaaaaaaaaaaa', 'ph_aaaaaaaaaaaa', 409),
      ],
    })
    const list = async (query: string) => {
      const answer = await client.ask('GET', `/projects/${projectId}/activity?${query}`)
      if (answer.status !== 200) return codeOf(answer)
      return (answer.body['data'] as { request_id: string }[]).map(({ request_id: id }) => id).join(' ')
    }
    for (const [query, found] of [
      ['', 'three two one'],
      ['by=key_aaaaaaaaaaaa', 'two one'],
      ['by=usr_aaaaaaaaaaaa', 'three'],
      ['phone=ph_aaaaaaaaaaaa', 'three one'],
      ['refused=true', 'three two'],
      ['by=key_aaaaaaaaaaaa&refused=true', 'two'],
      ['by=key_aaaaaaaaaaaa&phone=ph_aaaaaaaaaaaa', 'one'],
      [`by=${encodeURIComponent("' or 1=1 --")}`, ''],
      ['by=%00', 'validation_failed'],
      ['phone=nope', 'validation_failed'],
      ['before=x', 'validation_failed'],
    ])
      expect([query, await list(query ?? '')]).toEqual([query, found])
  })
})
