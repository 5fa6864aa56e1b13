// A replica without its broker still serves requests that need no host. With its own nats-server.
import path from 'node:path'
import { startNats } from '@phonerack/launcher/nats'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { closings } from '../phone-io/live/page/wire.js'
import { startAgentDouble } from '../testing/agent-double.js'
import { openEvents } from '../testing/event-stream.js'
import { openLive } from '../testing/live-client.js'
import { changeProject, createKey, enrollDevice, revokeKey } from '../testing/operator.js'
import { readyPhone } from '../testing/ready-phone.js'
import { eventually, startWorld, type Plane, type World } from '../testing/world.js'

type Nats = Awaited<ReturnType<typeof startNats>>
let world: World
let plane: Plane
let nats: Nats
let dir: string
beforeAll(async () => {
  world = startWorld()
  dir = path.join(world.dir, 'nats')
  nats = await startNats({ dir })
  plane = await world.start({ env: broker() })
})
afterAll(async () => {
  await world.stop()
  await nats.stop()
})

/** The broker of these tests, whether it runs or not. */
const broker = () => ({
  NATS_URL: nats.url,
  NATS_CREDS_FILE: nats.controlPlaneCredsFile,
  NATS_ACCOUNT_SEED_FILE: nats.accountSeedFile,
})

const readiness = async (on = plane) => {
  const response = await on.server.inject({ url: '/readyz' })
  return { code: response.statusCode, ...response.json<{ status: string; checks: object }>() }
}

it('stays ready without NATS, serves requests that need no host, and recovers when NATS is back', async () => {
  const tenant = await plane.tenant()
  const get = async (url: string) =>
    (await plane.server.inject({ url, headers: { authorization: `Bearer ${tenant.key}` } })).statusCode
  await eventually(async () => (await readiness()).status === 'ok')
  await nats.stop()
  await eventually(async () => (await readiness()).status === 'degraded')
  expect(await readiness()).toMatchObject({
    code: 200,
    checks: { postgres: { ok: true, required: true }, nats: { ok: false, required: false } },
  })
  for (const url of ['/livez', '/healthz', '/v1/phones', '/v1/account', '/v1/apps/uploads'])
    expect([url, await get(url)]).toEqual([url, 200])
  const renamed = await plane.server.inject({
    method: 'POST',
    url: '/v1/phones',
    payload: { wait: false },
    headers: { authorization: `Bearer ${tenant.key}` },
  })
  expect([renamed.statusCode, renamed.json<{ error: { code: string } }>().error.code]).toEqual([
    503,
    'capacity_unavailable',
  ])
  nats = await startNats({ dir, port: Number(new URL(nats.url).port) })
  await eventually(async () => (await readiness()).status === 'ok')
})

it('refuses a key that another replica revoked while NATS is unavailable', async () => {
  const other = await world.start({ beside: plane, env: broker() })
  const { key, caller } = await plane.tenant()
  const statusAt = async ({ server }: Plane) =>
    (await server.inject({ url: '/v1/account', headers: { authorization: `Bearer ${key}` } })).statusCode
  await nats.stop()
  await eventually(async () => (await readiness(other)).status === 'degraded')
  // Both replicas have the key in their caches.
  expect([await statusAt(plane), await statusAt(other)]).toEqual([200, 200])
  await revokeKey(plane.app.core, caller.keyId)
  // No message arrives, so each replica reads the key again when its cached key is a second old.
  await eventually(async () => (await statusAt(other)) === 401)
  await eventually(async () => (await statusAt(plane)) === 401)
  nats = await startNats({ dir, port: Number(new URL(nats.url).port) })
  await eventually(async () => (await readiness()).status === 'ok')
})

it('applies on another replica what one replica changed while NATS is unavailable: a freeze, and a key with live views', async () => {
  // Jobs of this replica would notify its waiters without the broker.
  const other = await world.start({ beside: plane, env: { ...broker(), PHONERACK_JOBS: 'off' } })
  await other.server.listen({ host: '127.0.0.1', port: 0 })
  const agent = await plane.rack(1)
  try {
    const tenant = await plane.tenant()
    const id = await readyPhone(plane, tenant)
    const viewerKey = await createKey(plane.app.core, {
      project: tenant.projectId,
      preset: 'agent',
      expires: 'never',
    })
    const post = (url: string, key: string) =>
      other.server.inject({ method: 'POST', url, headers: { authorization: `Bearer ${key}` } })
    const link = (await post(`/v1/phones/${id}/live`, viewerKey.key)).json<{ url: string }>()
    const { origin, hash } = new URL(link.url)
    const view = openLive(other.server, origin, hash.slice(1))
    await view.opened()
    await nats.stop()
    for (const each of [plane, other])
      await eventually(async () => (await readiness(each)).status === 'degraded')

    await revokeKey(plane.app.core, viewerKey.id)
    expect((await view.closed()).code).toBe(closings.unknown.code)

    // The timeout is longer than this test may take, so only a read of the row ends the wait.
    const parked = other.app.services.phones.wait(
      id,
      ({ status }) => status === 'parked',
      3_600_000,
      new AbortController().signal,
    )
    await changeProject(plane.app.core, tenant.projectId, { frozen: true })
    const refused = await post('/v1/phones', tenant.key)
    expect([refused.statusCode, refused.json<{ error: { code: string } }>().error.code]).toEqual([
      402,
      'project_frozen',
    ])
    expect((await parked).status).toBe('parked')
  } finally {
    await agent.stop()
    nats = await startNats({ dir, port: Number(new URL(nats.url).port) })
  }
  await eventually(async () => (await readiness()).status === 'ok')
})

it('lists and streams events on every replica while NATS is unavailable [41.58]', async () => {
  const replicas: Plane[] = []
  for (let each = 0; each < 2; each += 1) {
    const replica = await world.start({ beside: plane, env: { ...broker(), PHONERACK_JOBS: 'off' } })
    await replica.server.listen({ host: '127.0.0.1', port: 0 })
    replicas.push(replica)
  }
  const tenant = await plane.tenant()
  await nats.stop()
  try {
    for (const each of replicas) await eventually(async () => (await readiness(each)).status === 'degraded')
    const streams = await Promise.all(replicas.map(({ server }) => openEvents(server, tenant.key)))
    await eventually(() => streams.every(({ lastId }) => lastId !== null))
    // One replica numbers the event. The other replicas get no message.
    await plane.app.core.db
      .$queryRaw`select write_event(${tenant.projectId}, null, 'balance.low', '{"balance": {}}')::text as written`
    await eventually(() => streams.every(({ frames }) => frames.length === 1))
    for (const { server } of [plane, ...replicas]) {
      const list = await server.inject({
        url: '/v1/events',
        headers: { authorization: `Bearer ${tenant.key}` },
      })
      expect(list.json<{ data: unknown[] }>().data).toEqual([streams[0]?.frames[0]?.data])
    }
    for (const stream of streams) stream.close()
  } finally {
    nats = await startNats({ dir, port: Number(new URL(nats.url).port) })
  }
  await eventually(async () => (await readiness()).status === 'ok')
})

it('refuses on another replica a host that one replica retired while NATS is unavailable', async () => {
  // Jobs of this replica would read the table of hosts.
  const other = await world.start({ beside: plane, env: { ...broker(), PHONERACK_JOBS: 'off' } })
  const agent = await plane.rack(1)
  try {
    const { hostId } = agent
    const { address, certificateFingerprint } = await plane.app.core.db.host.findUniqueOrThrow({
      where: { id: hostId },
    })
    const at = { address: address ?? '', certificateFingerprint }
    const isReached = () => other.app.hosts.to(hostId, at).ready(60_000)
    expect(await isReached()).toBe(true)
    await nats.stop()
    for (const each of [plane, other])
      await eventually(async () => (await readiness(each)).status === 'degraded')
    const retired = await plane.operator.inject({
      method: 'POST',
      url: `/operator/v1/hosts/${hostId}/retire`,
      payload: { force: true },
      headers: { authorization: `Bearer ${plane.operatorToken}` },
    })
    expect(retired.statusCode).toBe(200)
    await eventually(() => other.app.hosts.isRetired(hostId), 60_000)
    expect(await isReached()).toBe(false)
  } finally {
    await agent.stop()
    nats = await startNats({ dir, port: Number(new URL(nats.url).port) })
  }
  await eventually(async () => (await readiness()).status === 'ok')
})

it('starts without NATS, serves requests that need no host, and rents phones once NATS is there', async () => {
  await nats.stop()
  const late = await world.start({ env: broker() })
  const tenant = await late.tenant()
  const call = (method: 'GET' | 'POST', url: string, payload?: object) =>
    late.server.inject({
      method,
      url,
      headers: { authorization: `Bearer ${tenant.key}` },
      ...(payload ? { payload } : {}),
    })
  expect(await readiness(late)).toMatchObject({
    code: 200,
    status: 'degraded',
    checks: { postgres: { ok: true, required: true }, nats: { ok: false, required: false } },
  })
  for (const url of ['/livez', '/v1/account', '/v1/phones'])
    expect([url, (await call('GET', url)).statusCode]).toEqual([url, 200])

  nats = await startNats({ dir, port: Number(new URL(nats.url).port) })
  await eventually(async () => (await readiness(late)).status === 'ok')
  // Subscriptions from before the connection work, and so does publishing on the late connection.
  const agent = await startAgentDouble({
    server: late.server,
    operator: late.operator,
    operatorToken: late.operatorToken,
    natsUrl: nats.url,
    name: 'late',
  })
  try {
    agent.addDevice('late-1')
    const state = async () => (await late.app.core.db.device.findFirst())?.state
    await eventually(async () => (await state()) === 'unenrolled')
    await enrollDevice(late.app.core, 'late-1')
    await eventually(async () => (await state()) === 'free')
    const created = await call('POST', '/v1/phones', { wait: true })
    expect([created.statusCode, created.json<{ status: string }>().status]).toEqual([201, 'ready'])
  } finally {
    await agent.stop()
  }
})
