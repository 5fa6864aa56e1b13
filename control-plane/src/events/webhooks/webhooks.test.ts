/** Webhooks with real Postgres, broker and receivers that verify signatures with `standardwebhooks`. */
import { limits } from '@phonerack/shared'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { reconcile } from '../../fleet/jobs/reconcile.js'
import { deliverySchema, webhookSchema, webhookWithSecretSchema } from '../../api/routes/webhooks/schemas.js'
import { errorOf } from '../../testing/api.js'
import { createKey } from '../../testing/operator.js'
import { startReceiver, type Receiver } from '../../testing/receiver.js'
import { hooksOf, type Hooks } from '../../testing/webhooks.js'
import { eventually, useWorld, type Plane, type Tenant } from '../../testing/world.js'

const world = useWorld()
let plane: Plane
let replica: Plane
let tenant: Tenant
let receiver: Receiver

const env = { PHONERACK_WEBHOOK_ALLOW: '127.0.0.0/8', PHONERACK_REPLICA_DEAD_AFTER: '100000' }
beforeAll(async () => {
  // Tickers never run: notifications bring each event.
  plane = await world.start({ env, pace: 1000 })
  replica = await world.start({ beside: plane, env, pace: 1000 })
})
beforeEach(async () => {
  tenant = await plane.tenant()
  receiver = await startReceiver()
})
afterEach(() => receiver.close())

let hooks: Hooks
beforeEach(() => {
  hooks = hooksOf(plane, tenant)
})
const call: Hooks['call'] = (...request) => hooks.call(...request)
const createWebhook = (fields: object = {}) => hooks.create(receiver, fields)
const happen = (type = 'balance.low', of = tenant) => hooksOf(plane, of).happen(type)
const deliveries: Hooks['deliveries'] = (path) => hooks.deliveries(path)
const settled: Hooks['settled'] = (path) => hooks.settled(path)
const read: Hooks['read'] = (path) => hooks.read(path)

describe('a webhook', () => {
  it('gets each event once within five seconds, with a valid signature [41.28]', async () => {
    const webhook = await createWebhook({ description: 'tests' })
    expect(webhook).toMatchObject({
      object: 'webhook',
      url: receiver.url,
      events: null,
      description: 'tests',
      enabled: true,
      failing_since: null,
      earlier_secret_expires_at: null,
    })
    expect(webhook.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    await happen()
    await eventually(() => receiver.received.length > 0)
    const [first] = receiver.received
    expect(first?.event).toMatchObject({ object: 'event', type: 'balance.low', phone_id: null })
    expect(first?.headers).toMatchObject({
      'webhook-id': first?.event.id,
      'content-type': 'application/json',
      'user-agent': 'Phonerack-Webhooks/1',
    })
    await eventually(async () => (await deliveries(webhook.path))[0]?.status === 'succeeded')
    expect(await deliveries(webhook.path)).toMatchObject([
      {
        webhook: webhook.id,
        event: first?.event.id,
        type: 'balance.low',
        attempts: 1,
        response: { status: 204, body: '' },
        error: null,
        next_attempt_at: null,
      },
    ])
    expect(receiver.forged).toBe(0)
  })

  it('gets only the types that it names, and no events of other projects [41.29]', async () => {
    await createWebhook({ events: ['balance.low'] })
    const other = await plane.tenant()
    await happen('balance.low', other)
    await happen('upload.ready')
    await happen('balance.low')
    await eventually(() => receiver.received.length > 0)
    await new Promise((resolve) => setTimeout(resolve, 500))
    expect(receiver.received.map(({ event }) => event.type)).toEqual(['balance.low'])
  })

  it('is listed, changed and deleted, without its secret [23.43, 41.27]', async () => {
    const webhook = await createWebhook()
    const { path } = webhook
    const shown = webhookSchema.parse(webhook)
    expect((await call('GET', '')).json()).toEqual({ data: [shown] })
    expect(await read(path)).toEqual(shown)
    const changed = await call('PATCH', path, { events: ['phone.ready'], description: 'b' })
    expect(changed.json()).toEqual({ ...shown, events: ['phone.ready'], description: 'b' })
    expect((await call('PATCH', path, { events: null, description: null })).json()).toEqual(shown)
    expect((await call('PATCH', path)).json()).toEqual(shown)
    expect((await call('DELETE', path)).json()).toEqual({ id: webhook.id, deleted: true })
    for (const [method, rest] of [
      ['GET', ''],
      ['DELETE', ''],
      ['POST', '/test'],
      ['POST', '/rotate'],
      ['GET', '/deliveries'],
    ] as const)
      errorOf(await call(method, `${path}${rest}`), 404, 'webhook_not_found')
    errorOf(await call('PATCH', path, { enabled: true }), 404, 'webhook_not_found')
    const { key } = await plane.tenant()
    errorOf(await call('GET', `/${(await createWebhook()).id}`, undefined, { key }), 404, 'webhook_not_found')
  })

  it('has an address that is allowed, and known types', async () => {
    for (const body of [
      {},
      { url: 'ftp://agents.example.com/' },
      { url: 'http://10.0.0.1/' },
      { url: 'http://169.254.169.254/latest/meta-data' },
      { url: receiver.url, events: [] },
      { url: receiver.url, events: ['phone.rdy'] },
      { url: receiver.url, events: ['phone.ready', 'phone.ready'] },
      { url: receiver.url, description: 'a'.repeat(201) },
      { url: receiver.url, secret: 'whsec_a' },
    ])
      errorOf(await call('POST', '', body), 400, 'validation_failed')
    const { path } = await createWebhook()
    errorOf(await call('PATCH', path, { url: 'http://192.168.1.1/' }), 400, 'validation_failed')
  })

  it('is refused to keys that are limited to phones, and its changes to keys that only read [41.55]', async () => {
    const { path } = await createWebhook()
    const phone = await plane.app.core.db.phone.create({
      data: {
        id: 'ph_aaaaaaaaaaab',
        projectId: tenant.projectId,
        keyId: 'k',
        name: 'a',
        status: 'parked',
        createdAt: new Date(),
      },
    })
    const keyOf = async (preset: 'agent' | 'read-only', phones?: string[]) =>
      (
        await createKey(plane.app.core, {
          project: tenant.projectId,
          preset,
          expires: 'never',
          ...(phones ? { phones } : {}),
        })
      ).key
    const limited = await keyOf('agent', [phone.id])
    for (const [method, rest, body] of [
      ['POST', '', { url: receiver.url }],
      ['GET', ''],
      ['GET', path],
      ['PATCH', path, {}],
      ['DELETE', path],
      ['POST', `${path}/test`],
      ['POST', `${path}/rotate`],
      ['GET', `${path}/deliveries`],
      ['POST', `${path}/deliveries/dlv_aaaaaaaaaaaa/retry`],
    ] as const)
      errorOf(await call(method, rest, body, { key: limited }), 403, 'phone_not_allowed')
    const reading = await keyOf('read-only')
    expect((await call('GET', path, undefined, { key: reading })).statusCode).toBe(200)
    errorOf(await call('POST', `${path}/rotate`, undefined, { key: reading }), 403, 'insufficient_scope')
  })

  it('shows its host to keys that only read', async () => {
    const url = 'https://hooks.example.com/in?token=s3cret'
    const { path } = await createWebhook({ url })
    const { key } = await createKey(plane.app.core, {
      project: tenant.projectId,
      preset: 'read-only',
      expires: 'never',
    })
    const { db } = plane.app.core
    const facts = JSON.stringify({
      webhook: { id: path.slice(1), url, failing_since: null, disabled_at: null },
    })
    await db.$queryRaw`select write_event(${tenant.projectId}, null, 'webhook.disabled', ${facts}::jsonb)::text as written`
    await eventually(async () => (await deliveries(path)).length > 0)
    const seen = async (of: string) => {
      const get = (address: string) =>
        plane.server.inject({ url: `/v1${address}`, headers: { authorization: `Bearer ${of}` } })
      const pages = ['/webhooks', `/webhooks${path}`, '/events?type=webhook.disabled']
      return Promise.all(pages.map(async (address) => (await get(address)).body))
    }
    for (const body of await seen(tenant.key)) expect(body).toContain('s3cret')
    for (const body of await seen(key)) expect(body).not.toContain('s3cret')
    expect((await seen(key))[0]).toContain('"url":"https://hooks.example.com/…"')
  })

  it('is limited to ten per project, even for concurrent requests on two replicas [23.47, 41.56]', async () => {
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        call('POST', '', { url: receiver.url }, { on: index % 2 ? plane : replica }),
      ),
    )
    expect(answers.filter(({ statusCode }) => statusCode === 201)).toHaveLength(10)
    for (const refused of answers.filter(({ statusCode }) => statusCode !== 201))
      expect(errorOf(refused, 409, 'webhook_limit_reached').details).toEqual({ limit: 10 })
  })
})

describe('a secret', () => {
  it('is replaced by a rotation, and also signs for another day [41.31]', async () => {
    const webhook = await createWebhook()
    const answer = await call('POST', `${webhook.path}/rotate`)
    const rotated = webhookWithSecretSchema.strict().parse(answer.json())
    expect(rotated.secret).not.toBe(webhook.secret)
    const left = Date.parse(rotated.earlier_secret_expires_at ?? '') - Date.now()
    expect(Math.abs(left - 86_400_000)).toBeLessThan(60_000)
    for (const secret of [webhook.secret, rotated.secret]) {
      receiver.secrets = [secret]
      receiver.received = []
      await happen()
      await eventually(() => receiver.received.length === 1)
    }
    expect(receiver.forged).toBe(0)
    const { db } = plane.app.core
    await db.webhook.update({
      where: { id: webhook.id },
      data: { earlierSecretUntil: new Date(Date.now() - 1000) },
    })
    receiver.secrets = [webhook.secret]
    await happen()
    await eventually(() => receiver.forged === 1)
    expect((await read(webhook.path)).earlier_secret_expires_at).toBeNull()
    const row = await db.webhook.findUniqueOrThrow({ where: { id: webhook.id } })
    expect(Buffer.from(row.secret).includes(rotated.secret)).toBe(false)
  })
})

describe('a delivery', () => {
  it('is sent again after a failure, with the same ID, and shows the response [41.35]', async () => {
    receiver.answer = (_request, response) => response.writeHead(503).end('later')
    const { path, id } = await createWebhook()
    await happen()
    const [failed] = await settled(path)
    expect(failed).toMatchObject({
      status: 'pending',
      attempts: 1,
      response: { status: 503, body: 'later' },
      error: 'status',
    })
    const wait = Date.parse(failed?.next_attempt_at ?? '') - Date.parse(failed?.last_attempt_at ?? '')
    expect(wait).toBe(5000)
    expect((await read(path)).failing_since).not.toBeNull()
    receiver.answer = null
    await hooks.retryNow(id)
    await eventually(async () => (await deliveries(path))[0]?.status === 'succeeded')
    expect(receiver.received.map(({ event }) => event.id)).toEqual([failed?.event, failed?.event])
    expect((await read(path)).failing_since).toBeNull()
  })

  it('fails after the last retry, and is sent again by hand with the retries of a new one [23.44, 41.33]', async () => {
    receiver.answer = (_request, response) => response.writeHead(302, { location: '/' }).end()
    const { path, id: webhookId } = await createWebhook()
    await happen()
    const [first] = await settled(path)
    expect(first?.error).toBe('redirect')
    const id = first?.id ?? ''
    const { db } = plane.app.core
    await db.webhookDelivery.update({
      where: { id },
      data: { attempts: 7, attemptsOfRound: limits.webhooks.retries.length },
    })
    await hooks.retryNow(webhookId)
    await eventually(async () => (await deliveries(path))[0]?.status === 'failed')
    expect((await deliveries(path))[0]).toMatchObject({ attempts: 8, next_attempt_at: null })
    const again = await call('POST', `${path}/deliveries/${id}/retry`)
    expect([again.statusCode, deliverySchema.strict().parse(again.json()).status]).toEqual([202, 'pending'])
    await eventually(async () => (await deliveries(path))[0]?.attempts === 9)
    expect((await deliveries(path))[0]?.status).toBe('pending')
    receiver.answer = null
    await call('POST', `${path}/deliveries/${id}/retry`)
    await eventually(async () => (await deliveries(path))[0]?.status === 'succeeded')
    for (const unknown of ['dlv_aaaaaaaaaaaa', 'x'])
      errorOf(await call('POST', `${path}/deliveries/${unknown}/retry`), 404, 'event_not_found')
  })

  it('is listed newest first, in pages [41.32]', async () => {
    const { path } = await createWebhook()
    for (let each = 0; each < 5; each += 1) await happen()
    await eventually(() => receiver.received.length === 5)
    await eventually(async () => (await deliveries(path)).every(({ status }) => status === 'succeeded'))
    const page = async (query: string) =>
      (await call('GET', `${path}/deliveries${query}`)).json<{
        data: { id: string }[]
        next_cursor: string | null
      }>()
    const first = await page('?limit=3')
    const second = await page(`?limit=3&cursor=${first.next_cursor}`)
    expect([...first.data, ...second.data]).toEqual(await deliveries(path))
    expect(second.next_cursor).toBeNull()
    errorOf(await call('GET', `${path}/deliveries?cursor=x`), 400, 'validation_failed')
  })

  it('is sent once for a test, even while the webhook is switched off, and is not listed as an event [41.30]', async () => {
    const { path, id } = await createWebhook()
    await call('PATCH', path, { enabled: false })
    await happen()
    receiver.answer = (_request, response) => response.writeHead(500).end()
    const sent = deliverySchema.strict().parse((await call('POST', `${path}/test`)).json())
    expect(sent).toMatchObject({ type: 'webhook.test', status: 'pending', webhook: id })
    await eventually(async () => (await deliveries(path))[0]?.status === 'failed')
    expect(receiver.received).toMatchObject([{ event: { id: sent.event, type: 'webhook.test' } }])
    expect(await deliveries(path)).toHaveLength(1)
    expect((await read(path)).failing_since).toBeNull()
    const events = await plane.server.inject({
      url: '/v1/events',
      headers: { authorization: `Bearer ${tenant.key}` },
    })
    expect(events.json<{ data: { type: string }[] }>().data.map(({ type }) => type)).toEqual(['balance.low'])
  })
})

it('is switched off after three days of failures, with an event, and fails what waits [41.43]', async () => {
  receiver.answer = (_request, response) => response.writeHead(500).end()
  const { path, id } = await createWebhook()
  await happen()
  await settled(path)
  const { db } = plane.app.core
  const since = new Date(Date.now() - limits.webhooks.failingLife * 1000)
  await db.webhook.update({ where: { id }, data: { failingSince: since } })
  // A test does not switch the webhook off.
  await call('POST', `${path}/test`)
  await eventually(async () => (await deliveries(path))[0]?.status === 'failed')
  expect((await read(path)).enabled).toBe(true)
  await happen()
  await eventually(async () => !(await read(path)).enabled)
  for (const delivery of await deliveries(path)) expect(delivery.status).toBe('failed')
  const events = async () => {
    const answer = await plane.server.inject({
      url: '/v1/events?type=webhook.disabled',
      headers: { authorization: `Bearer ${tenant.key}` },
    })
    return answer.json<{ data: { data: object }[] }>().data
  }
  await eventually(async () => (await events()).length > 0)
  expect(await events()).toMatchObject([
    { data: { webhook: { id, url: receiver.url, failing_since: since.toISOString() } } },
  ])
  receiver.answer = null
  receiver.received = []
  await happen()
  expect((await call('PATCH', path, { enabled: true })).json()).toMatchObject({
    enabled: true,
    failing_since: null,
  })
  await happen('upload.ready')
  await eventually(() => receiver.received.some(({ event }) => event.type === 'upload.ready'))
})

it('loses nothing when deliveries lose their jobs', async () => {
  const { path, id } = await createWebhook()
  await call('PATCH', path, { url: 'http://127.0.0.1:9/' })
  await happen()
  await settled(path)
  const { db } = plane.app.core
  await db.$executeRaw`select graphile_worker.complete_jobs((select array_agg(id) from graphile_worker.jobs
    where task_identifier = 'webhook.deliver'))`
  await call('PATCH', path, { url: receiver.url })
  // A minute later, the reconciliation finds the delivery.
  await db.webhookDelivery.updateMany({
    where: { webhookId: id },
    data: { nextAttemptAt: new Date(Date.now() - 60_000) },
  })
  await reconcile(plane.app.core)
  await eventually(() => receiver.received.length === 1)
})
