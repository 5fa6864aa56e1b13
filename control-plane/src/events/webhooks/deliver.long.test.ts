/** Deliveries under load and faults, with real Postgres, broker and receivers. */
import { type ServerResponse } from 'node:http'
import { limits, newId } from '@phonerack/shared'
import pg from 'pg'
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { inTransaction } from '../../base/db/database.js'
import { forget, reconcile } from '../../fleet/jobs/reconcile.js'
import { addJobs } from '../../base/queue/queue.js'
import { errorOf } from '../../testing/api.js'
import { makeDue } from '../../testing/jobs-by-hand.js'
import { startReceiver, type Receiver } from '../../testing/receiver.js'
import { hooksOf, webhookJobs, type Hooks } from '../../testing/webhooks.js'
import { eventually, useWorld, type Plane, type Tenant } from '../../testing/world.js'
import { deliverNow } from './jobs.js'
import { failWaiting } from './records.js'

const world = useWorld()
const env = { PHONERACK_WEBHOOK_ALLOW: '127.0.0.0/8', PHONERACK_REPLICA_DEAD_AFTER: '100000' }
let plane: Plane
let tenant: Tenant
let hooks: Hooks
let receiver: Receiver
/** Responses that the receiver has not sent. */
let held: ServerResponse[]

beforeAll(async () => {
  // Tickers never run: the tests call `reconcile` and `forget`.
  plane = await world.start({ env, pace: 1000 })
})
beforeEach(async () => {
  tenant = await plane.tenant()
  hooks = hooksOf(plane, tenant)
  receiver = await startReceiver()
  held = []
})
afterEach(() => receiver.close())

const hold = (): void => {
  receiver.answer = (_request, response) => void held.push(response)
}
const tomorrow = () => new Date(Date.now() + 86_400_000)
const outboxIsEmpty = () => eventually(async () => (await plane.app.core.db.outboxEvent.count()) === 0)
const pendingOf = (webhookId: string) =>
  plane.app.core.db.webhookDelivery.count({ where: { webhookId, status: 'pending' } })

/** Pending deliveries, with no job. */
async function addDeliveries(webhookId: string, count: number, fields: object = {}): Promise<void> {
  const now = new Date()
  await plane.app.core.db.webhookDelivery.createMany({
    data: Array.from({ length: count }, () => ({
      id: newId('delivery'),
      webhookId,
      status: 'pending',
      createdAt: now,
      nextAttemptAt: now,
      testEvent: { id: newId('event'), type: 'webhook.test', createdAt: now, data: {} },
      ...fields,
    })),
  })
}

it('has few jobs, however many deliveries wait, and sends each of them [41.38]', async () => {
  hold()
  const { id } = await hooks.create(receiver)
  // Few enough to be numbered before the first held attempt fails, after 15 s.
  await hooks.happen('balance.low', 60)
  await outboxIsEmpty()
  await eventually(() => held.length > 1)
  expect(await pendingOf(id)).toBe(60)
  // At most four jobs run, and one job waits.
  await eventually(async () => (await webhookJobs(plane, id)) <= 6)
  receiver.answer = null
  for (const response of held) response.writeHead(204).end()
  await hooks.happen('balance.low', 40)
  await outboxIsEmpty()
  await eventually(async () => (await pendingOf(id)) === 0)
  const ids = receiver.received.map(({ event }) => event.id)
  expect(new Set(ids).size).toBe(100)
  // On a busy machine, held attempts fail and are repeated.
  const { _sum: sum } = await plane.app.core.db.webhookDelivery.aggregate({
    where: { webhookId: id },
    _sum: { attempts: true },
  })
  expect(ids).toHaveLength(sum.attempts ?? 0)
  expect(ids.length - 100).toBeLessThanOrEqual(held.length)
  await eventually(async () => {
    // The job at the end of a claim.
    await makeDue(plane.app.core.db, 'webhook.deliver', id)
    return (await webhookJobs(plane, id)) === 0
  })
})

it('leaves workers to other projects when five receivers of one project hang [41.39]', async () => {
  const hanging = await startReceiver()
  let [open, most] = [0, 0]
  hanging.answer = (_request, response) => {
    open += 1
    most = Math.max(most, open)
    response.on('close', () => (open -= 1))
  }
  for (let each = 0; each < 5; each += 1) await hooks.create(hanging)
  await hooks.happen('balance.low', 40)
  await outboxIsEmpty()
  await eventually(() => open >= 5)
  const other = hooksOf(plane, await plane.tenant())
  await other.create(receiver)
  await other.happen()
  await eventually(() => receiver.received.length === 1)
  expect(most).toBeLessThanOrEqual(8)
  await hanging.close()
})

it('sends again by hand during an attempt, whose outcome then changes nothing [41.36]', async () => {
  receiver.answer = (_request, response) => response.writeHead(500).end()
  const { path, id: webhookId } = await hooks.create(receiver)
  await hooks.happen()
  const [delivery] = await hooks.settled(path)
  hold()
  const { db } = plane.app.core
  // A webhook that fails gets one slot.
  await db.webhook.update({ where: { id: webhookId }, data: { failingSince: null } })
  // The next attempt is the last attempt.
  await db.webhookDelivery.updateMany({
    where: { webhookId },
    data: { attemptsOfRound: limits.webhooks.retries.length },
  })
  await hooks.retryNow(webhookId)
  await eventually(() => held.length === 1)
  const retried = await hooks.call('POST', `${path}/deliveries/${delivery?.id}/retry`)
  expect(retried.statusCode).toBe(202)
  await eventually(() => held.length === 2)
  const [first, second] = held
  first?.writeHead(500).end()
  // The outcome of the first attempt is dropped before the outcome of the second attempt is stored.
  await new Promise((resolve) => setTimeout(resolve, 500))
  expect((await hooks.deliveries(path))[0]?.status).toBe('pending')
  second?.writeHead(204).end()
  await eventually(async () => (await hooks.deliveries(path))[0]?.status === 'succeeded')
  expect(held).toHaveLength(2)
})

it('drops the failure of an attempt whose delivery was claimed again, but not its success [41.37]', async () => {
  for (const [status, other] of [
    [500, 204],
    [204, 500],
  ] as const) {
    hold()
    const { path, id: webhookId } = await hooks.create(receiver)
    await hooks.happen()
    await eventually(() => held.length === 1)
    const { db } = plane.app.core
    // The process of the first attempt was suspended for longer than its claim.
    await db.webhookDelivery.updateMany({
      where: { webhookId },
      data: { nextAttemptAt: new Date(Date.now() - 60_000) },
    })
    await addJobs(db, [deliverNow(webhookId)])
    await eventually(() => held.length === 2)
    const [first, second] = held
    first?.writeHead(status).end()
    await new Promise((resolve) => setTimeout(resolve, 500))
    expect((await hooks.deliveries(path))[0]?.status).toBe(status === 204 ? 'succeeded' : 'pending')
    second?.writeHead(other).end()
    await eventually(async () => (await hooks.deliveries(path))[0]?.status === 'succeeded')
    // The job at the end of the claim.
    await makeDue(db, 'webhook.deliver', webhookId)
    await eventually(async () => (await webhookJobs(plane, webhookId)) === 0)
    expect((await hooks.deliveries(path))[0]).toMatchObject({ attempts: 1, response: { status: 204 } })
    expect(held).toHaveLength(2)
    await hooks.call('DELETE', path)
    held = []
  }
})

it('fails what waited when it was switched off, and sends what comes after it is switched on', async () => {
  const { path, id } = await hooks.create(receiver)
  await hooks.happen()
  await eventually(async () => (await hooks.deliveries(path))[0]?.status === 'succeeded')
  const { db } = plane.app.core
  const event = await db.event.findFirstOrThrow({ where: { projectId: tenant.projectId } })
  const later = new Date(Date.now() + 3_600_000)
  const fields = { eventNumber: event.number, testEvent: undefined, nextAttemptAt: later }
  for (let each = 0; each < 2; each += 1) await addDeliveries(id, 1250, fields)
  await hooks.call('PATCH', path, { enabled: false })
  await hooks.call('PATCH', path, { enabled: true })
  await hooks.happen('upload.ready')
  await eventually(async () => (await pendingOf(id)) === 0)
  expect(receiver.received.map(({ event: { type } }) => type)).toEqual(['balance.low', 'upload.ready'])
  const disabled = { webhookId: id, status: 'failed', error: 'webhook_disabled' }
  expect(await db.webhookDelivery.count({ where: disabled })).toBe(2500)
  expect((await db.webhook.findUniqueOrThrow({ where: { id } })).failsBefore).toBeNull()
})

it('fails no delivery of a webhook that was switched on while its job read its state', async () => {
  const { id } = await hooks.create(receiver)
  const { db } = plane.app.core
  await hooks.happen()
  await eventually(() => receiver.received.length === 1)
  const event = await db.event.findFirstOrThrow({ where: { projectId: tenant.projectId } })
  await addDeliveries(id, 1, { eventNumber: event.number, testEvent: undefined, nextAttemptAt: tomorrow() })
  await inTransaction(db, (tx) => failWaiting(tx, id))
  expect(await db.webhookDelivery.count({ where: { webhookId: id, status: 'failed' } })).toBe(0)
})

it('keeps the whole response to a failure and to a test, and 1 KB of that to a success [41.54]', async () => {
  receiver.answer = (_request, response) => response.writeHead(200).end('é'.repeat(4000))
  const { path } = await hooks.create(receiver)
  await hooks.happen()
  await eventually(async () => (await hooks.deliveries(path))[0]?.status === 'succeeded')
  expect((await hooks.deliveries(path))[0]?.response?.body).toBe('é'.repeat(512))
  await hooks.call('POST', `${path}/test`)
  await eventually(async () => (await hooks.deliveries(path))[0]?.status === 'succeeded')
  expect((await hooks.deliveries(path))[0]?.response?.body).toHaveLength(4000)
  receiver.answer = (_request, response) => response.writeHead(500).end('é'.repeat(4000))
  await hooks.happen()
  await eventually(async () => (await hooks.deliveries(path))[0]?.response?.status === 500)
  expect((await hooks.deliveries(path))[0]?.response?.body).toHaveLength(4000)
})

it('fails the events of a webhook that was switched off while they were numbered', async () => {
  const { path, id } = await hooks.create(receiver)
  await hooks.happen()
  await eventually(() => receiver.received.length === 1)
  await hooks.call('PATCH', path, { enabled: false })
  const { db } = plane.app.core
  const event = await db.event.findFirstOrThrow({ where: { projectId: tenant.projectId } })
  // More than one statement fails, found by the reconciliation.
  const past = new Date(Date.now() - 60_000)
  await addDeliveries(id, 2500, { eventNumber: event.number, testEvent: undefined, nextAttemptAt: past })
  await reconcile(plane.app.core)
  const test = await hooks.call('POST', `${path}/test`)
  expect(test.statusCode).toBe(202)
  await eventually(async () => (await pendingOf(id)) === 0)
  expect(await db.webhookDelivery.count({ where: { webhookId: id, error: 'webhook_disabled' } })).toBe(2500)
  expect(receiver.received.map(({ event: { type } }) => type)).toEqual(['balance.low', 'webhook.test'])
})

it('takes no more tests and repeated deliveries than a hundred that wait', async () => {
  const { path, id } = await hooks.create(receiver)
  await hooks.happen()
  await eventually(async () => (await hooks.deliveries(path))[0]?.status === 'succeeded')
  const [done] = await hooks.deliveries(path)
  const later = new Date(Date.now() + 3_600_000)
  await addDeliveries(id, limits.webhooks.byHand, { nextAttemptAt: later })
  for (const request of ['/test', `/deliveries/${done?.id}/retry`]) {
    const answer = await hooks.call('POST', `${path}${request}`)
    expect(errorOf(answer, 429, 'rate_limited').details).toMatchObject({ limit: limits.webhooks.byHand })
    expect(answer.headers['retry-after']).toBe('60')
  }
  // A pending delivery can be repeated now, since it counts already.
  const waiting = await plane.app.core.db.webhookDelivery.findFirstOrThrow({
    where: { webhookId: id, status: 'pending' },
  })
  const again = await hooks.call('POST', `${path}/deliveries/${waiting.id}/retry`)
  expect(again.statusCode).toBe(202)
  const sent = { id: waiting.id, status: 'succeeded' }
  // The receiver answers before the outcome is written.
  await eventually(async () => (await plane.app.core.db.webhookDelivery.count({ where: sent })) === 1)
  expect(receiver.received).toHaveLength(2)
  expect((await hooks.call('POST', `${path}/test`)).statusCode).toBe(202)
})

it('sends again what a replica was sending when it stopped, without waiting for its claim', async () => {
  hold()
  const first = await world.start({ env })
  const on = hooksOf(first, await first.tenant())
  const { path } = await on.create(receiver)
  await on.happen()
  await eventually(() => held.length === 1)
  await first.close()
  receiver.answer = null
  const second = await world.start({ beside: first, env })
  const [delivery] = await second.app.core.db.webhookDelivery.findMany()
  expect(delivery?.nextAttemptAt?.getTime()).toBeLessThan(Date.now())
  await eventually(() => receiver.received.length === 2)
  expect(path).toContain(delivery?.webhookId)
})

it('says that a secret is unreadable, until it is rotated', async () => {
  const { path, id } = await hooks.create(receiver)
  const { db } = plane.app.core
  await db.webhook.update({ where: { id }, data: { secret: new Uint8Array(100) } })
  await hooks.happen()
  expect((await hooks.settled(path))[0]?.error).toBe('secret_unreadable')
  const rotated = await hooks.call('POST', `${path}/rotate`)
  receiver.secrets.push(rotated.json<{ secret: string }>().secret)
  await hooks.retryNow(id)
  await eventually(async () => (await hooks.deliveries(path))[0]?.status === 'succeeded')
  expect(receiver.received).toHaveLength(1)
})

it('does not stop the events of other projects while somebody locks or deletes a webhook', async () => {
  const { id } = await hooks.create(receiver)
  const client = new pg.Client({ connectionString: plane.config.databaseUrl })
  await client.connect()
  await client.query('begin')
  // The deletion of a row takes this lock.
  await client.query('select 1 from webhooks where id = $1 for update', [id])
  await hooks.happen()
  await outboxIsEmpty()
  await client.query('rollback')
  await client.end()
})

it('does not stop the events of other webhooks while the job of one is locked [41.42]', async () => {
  const hanging = await hooks.create(receiver)
  const waiting = `webhook.deliver:${hanging.id}`
  const { db } = plane.app.core
  await addJobs(db, [{ ...deliverNow(hanging.id), options: { key: waiting, runAt: tomorrow() } }])
  const client = new pg.Client({ connectionString: plane.config.databaseUrl })
  await client.connect()
  await client.query('begin')
  // Another replica is suspended before its commit.
  await client.query('select 1 from graphile_worker._private_jobs where key = $1 for update', [waiting])
  await hooks.happen()
  await outboxIsEmpty()
  const other = hooksOf(plane, await plane.tenant())
  const free = await startReceiver()
  await other.create(free)
  await other.happen()
  await eventually(() => free.received.length === 1)
  expect(receiver.received).toHaveLength(0)
  await client.query('rollback')
  await client.end()
  await eventually(() => receiver.received.length === 1)
  await free.close()
})

it('neither counts nor keeps jobs that were replaced while a killed replica ran them', async () => {
  const { db } = plane.app.core
  const { id } = await hooks.create(receiver)
  const job = { ...deliverNow(id), options: { key: `webhook.deliver:${id}`, runAt: tomorrow() } }
  const client = new pg.Client({ connectionString: plane.config.databaseUrl })
  await client.connect()
  // The jobs of a killed replica, until another replica unlocks them.
  await addJobs(db, [job])
  await client.query(
    `update graphile_worker._private_jobs set locked_at = now(), locked_by = 'gone' where key = $1`,
    [job.options.key],
  )
  await addJobs(db, [job])
  await client.query(`select graphile_worker.force_unlock_workers(array['gone'])`)
  await client.end()
  const failed = 'phonerack_jobs{kind="webhook.deliver",state="failed"}'
  let metrics = ''
  await eventually(async () => {
    metrics = await plane.app.metrics.render()
    return metrics.includes(failed)
  })
  expect(metrics).toContain(`${failed} 0\n`)
  await reconcile(plane.app.core)
  expect(await webhookJobs(plane, id)).toBe(1)
})

it('hides a deleted webhook immediately, and deletes its deliveries in batches', async () => {
  const { path, id } = await hooks.create(receiver)
  await addDeliveries(id, 2500, { nextAttemptAt: new Date(Date.now() + 3_600_000) })
  // The deletion skips locked deliveries.
  const client = new pg.Client({ connectionString: plane.config.databaseUrl })
  await client.connect()
  await client.query('begin')
  await client.query('select 1 from webhook_deliveries where webhook_id = $1 for update', [id])
  expect((await hooks.call('DELETE', path)).statusCode).toBe(200)
  errorOf(await hooks.call('GET', path), 404, 'webhook_not_found')
  errorOf(await hooks.call('DELETE', path), 404, 'webhook_not_found')
  expect((await hooks.call('GET', '')).json()).toEqual({ data: [] })
  const { core } = plane.app
  const row = await core.db.webhook.findUniqueOrThrow({ where: { id } })
  expect([row.secret.length, row.earlierSecret]).toEqual([0, null])
  await hooks.happen()
  await outboxIsEmpty()
  expect(await core.db.webhookDelivery.count({ where: { webhookId: id } })).toBe(2500)
  await client.query('rollback')
  await client.end()
  for (let each = 0; each < limits.webhooks.perProject; each += 1) await hooks.create(receiver)
  await forget(core)
  expect(await core.db.webhookDelivery.count({ where: { webhookId: id } })).toBe(0)
  // An earlier transaction that read the webhook may still refer to its row.
  expect(await core.db.webhook.count({ where: { id } })).toBe(1)
  await core.db.webhook.update({ where: { id }, data: { deletedAt: new Date(Date.now() - 301_000) } })
  await forget(core)
  expect(await core.db.webhook.count({ where: { id } })).toBe(0)
})

it('sends nothing to a webhook that is deleted during an attempt', async () => {
  hold()
  const { path, id } = await hooks.create(receiver)
  await hooks.happen()
  await eventually(() => held.length === 1)
  expect((await hooks.call('DELETE', path)).statusCode).toBe(200)
  held[0]?.writeHead(500).end()
  await eventually(async () => (await webhookJobs(plane, id)) === 0)
  expect(await pendingOf(id)).toBe(1)
  await forget(plane.app.core)
  expect(await pendingOf(id)).toBe(0)
  expect(held).toHaveLength(1)
})
