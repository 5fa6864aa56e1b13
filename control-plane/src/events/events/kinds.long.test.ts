/** The events of each kind of row, with their facts, from real changes in Postgres. */
import { newId } from '@phonerack/shared'
import { beforeAll, describe, expect, it } from 'vitest'
import { addCredit } from '../../rental/billing/ledger.js'
import { inTransaction } from '../../base/db/database.js'
import { giveBack, takeControl } from '../../phone-io/live/control.js'
import { eventSchema } from '../../api/routes/events/schemas.js'
import { createKey, revokeKey } from '../../testing/operator.js'
import { readyPhone } from '../../testing/ready-phone.js'
import { eventually, useWorld, type Plane, type Tenant } from '../../testing/world.js'
import { type EventJson } from './types.js'

const world = useWorld()
let plane: Plane
let tenant: Tenant
beforeAll(async () => {
  plane = await world.start()
  await plane.rack(2, { beatMs: 200 })
  tenant = await plane.tenant({ credit: '1000' })
})

const call = (method: 'GET' | 'POST' | 'DELETE', url: string, body?: object, key = tenant.key) =>
  plane.server.inject({
    method,
    url: `/v1${url}`,
    headers: { authorization: `Bearer ${key}` },
    ...(body ? { payload: body } : {}),
  })

/** The events of these kinds, oldest first, once as many are there. */
async function eventsOf(kind: string, count: number, of = tenant): Promise<EventJson[]> {
  const read = async () => {
    const { data } = (await call('GET', '/events?limit=100', undefined, of.key)).json<{ data: EventJson[] }>()
    return data.filter(({ type }) => type.startsWith(`${kind}.`)).reverse()
  }
  await eventually(async () => (await read()).length >= count)
  const events = await read()
  for (const event of events) eventSchema.strict().parse(event)
  return events
}

describe('a hand-over', () => {
  it('has an event for each step, which never contains its texts [41.9]', async () => {
    const phoneId = await readyPhone(plane, tenant)
    const { core } = plane.app
    const handOver = async (body: object = {}, key = tenant.key) =>
      (await call('POST', `/phones/${phoneId}/handoffs`, { message: 'Secret task.', ...body }, key)).json<{
        id: string
      }>().id
    const done = await handOver()
    await takeControl(core, done)
    await giveBack(core, done, 'done', 'Secret note.')
    const declined = await handOver()
    await giveBack(core, declined, 'declined', null)
    const cancelled = await handOver()
    await call('DELETE', `/phones/${phoneId}/handoffs/${cancelled}`)
    // A deletion of an ended hand-over deletes its texts, and writes no event.
    await call('DELETE', `/phones/${phoneId}/handoffs/${declined}`)
    const late = await handOver({ expires_in: 60 })
    const expiresAt = new Date(core.clock.now().getTime() - 1)
    const createdAt = new Date(expiresAt.getTime() - 60_000)
    await core.db.handoff.update({ where: { id: late }, data: { expiresAt, createdAt } })
    await eventsOf('handoff', 9)
    const { id: keyId, key } = await createKey(core, {
      project: tenant.projectId,
      preset: 'agent',
      expires: 'never',
    })
    const revoked = await handOver({}, key)
    await revokeKey(core, keyId)
    const parked = await handOver()
    await plane.app.services.phones.park(tenant.caller, phoneId)
    const events = await eventsOf('handoff', 13)
    expect(events.map(({ type, data }) => [type, data['handoff']?.['id']])).toEqual([
      ['handoff.created', done],
      ['handoff.taken', done],
      ['handoff.done', done],
      ['handoff.created', declined],
      ['handoff.declined', declined],
      ['handoff.created', cancelled],
      ['handoff.cancelled', cancelled],
      ['handoff.created', late],
      ['handoff.expired', late],
      ['handoff.created', revoked],
      ['handoff.expired', revoked],
      ['handoff.created', parked],
      ['handoff.expired', parked],
    ])
    expect(JSON.stringify(events)).not.toContain('Secret')
    expect(events[6]?.data['handoff']).toMatchObject({ status: 'cancelled', taken_at: null })
    const handoff = events[12]?.data['handoff']
    expect(Object.keys(handoff ?? {}).sort()).toEqual(
      ['created_at', 'ended_at', 'expires_at', 'id', 'status', 'taken_at'].sort(),
    )
  })
})

it('says once that the credit fell below a dollar [41.7]', async () => {
  const poor = await plane.tenant({ credit: '2' })
  const { core } = plane.app
  const book = (micros: bigint) =>
    inTransaction(core.db, (tx) => addCredit(tx, poor.projectId, micros, core.clock.now()))
  await book(-900_000n)
  await book(-200_000n)
  await book(-100_000n)
  await book(5_000_000n)
  await book(-4_900_000n)
  const events = await eventsOf('balance', 2, poor)
  expect(events.map(({ type, phone_id: phone, data }) => [type, phone, data])).toEqual([
    ['balance.low', null, { balance: { balance_usd: '0.900000', reserved_usd: '0.000000' } }],
    ['balance.low', null, { balance: { balance_usd: '0.900000', reserved_usd: '0.000000' } }],
  ])
})

it('has the outcome of uploads, installs and recordings [41.8]', async () => {
  const { db } = plane.app.core
  const { projectId } = tenant
  const at = new Date('2026-11-26T12:00:00.125Z')
  const phoneId = (await db.phone.findFirstOrThrow({ where: { projectId } })).id
  const upload = async (status: string, more: object) => {
    const id = newId('upload')
    await db.upload.create({
      data: {
        id,
        projectId,
        keyId: 'k',
        status: 'processing',
        tokenHash: id,
        createdAt: at,
        expiresAt: at,
        isStored: true,
        completedAt: at,
        sha256: 'a'.repeat(64),
      },
    })
    await db.upload.update({ where: { id }, data: { status, ...more } })
    return id
  }
  const facts = { package: 'org.example.app', versionCode: 412n, versionName: '4.1.2', sizeBytes: 1000n }
  const ready = await upload('ready', facts)
  const broken = await upload('invalid_apk', { errorCode: 'invalid_apk', errorMessage: 'No manifest.' })
  await upload('duplicate', {})
  const uploads = await eventsOf('upload', 2)
  expect(uploads.map(({ type, phone_id: phone, data }) => [type, phone, data['upload']])).toEqual([
    [
      'upload.ready',
      null,
      {
        id: ready,
        status: 'ready',
        package: 'org.example.app',
        version_code: 412,
        version_name: '4.1.2',
        size_bytes: 1000,
        error: null,
      },
    ],
    [
      'upload.failed',
      null,
      {
        id: broken,
        status: 'invalid_apk',
        package: null,
        version_code: null,
        version_name: null,
        size_bytes: null,
        error: { code: 'invalid_apk', message: 'No manifest.', next: null },
      },
    ],
  ])

  for (const [status, uploadId] of [
    ['succeeded', ready],
    ['failed', null],
  ] as const) {
    const id = newId('install')
    await db.install.create({
      data: {
        id,
        phoneId,
        fencingNumber: 1n,
        requestId: 'r',
        package: 'org.example.app',
        versionCode: 1n,
        uploadId,
        files: [],
        status: 'running',
        startedAt: at,
        updatedAt: at,
      },
    })
    const error = status === 'failed' ? 'install_failed' : null
    await db.install.update({ where: { id }, data: { status, error } })
  }
  const installs = await eventsOf('install', 2)
  expect(installs.map(({ type, phone_id: phone }) => [type, phone])).toEqual([
    ['install.succeeded', phoneId],
    ['install.failed', phoneId],
  ])
  expect(installs[0]?.data['install']).toMatchObject({ upload: ready, status: 'succeeded', error: null })
  expect(installs[0]?.data['install']?.['install']).toMatch(/^ins_/)
  expect(installs[1]?.data['install']).toEqual({
    package: 'org.example.app',
    upload: null,
    install: null,
    status: 'failed',
    error: 'install_failed',
    next: null,
    started_at: at.toISOString(),
    updated_at: at.toISOString(),
  })

  const { hostId } = await db.device.findFirstOrThrow()
  for (const status of ['ready', 'failed']) {
    const id = newId('recording')
    await db.recording.create({
      data: {
        id,
        projectId,
        phoneId,
        hostId,
        fencingNumber: 1n,
        status: 'processing',
        storageId: id,
        startedAt: at,
        expiresAt: at,
        sizeBytes: 5n,
        isDropped: true,
      },
    })
    const stored =
      status === 'ready' ? { isStored: true, sha256: 'a'.repeat(64), durationMs: 900, endedAt: at } : {}
    await db.recording.update({ where: { id }, data: { status, ...stored } })
  }
  const recordings = await eventsOf('recording', 2)
  expect(recordings.map(({ type, data }) => [type, data['recording']?.['size_bytes']])).toEqual([
    ['recording.ready', 5],
    ['recording.failed', null],
  ])
  expect(recordings[0]?.data['recording']).toMatchObject({ duration_ms: 900, ended_at: at.toISOString() })
})
