// Draining hosts and devices, and maintenance, over HTTP: effects on tenants and on placement.
import { beforeAll, beforeEach, expect, it } from 'vitest'
import { brokenInvariants } from '../../testing/money.js'
import { createBody, eventually, refusalOf, useWorld, type Plane, type Tenant } from '../../testing/world.js'
import { type AgentDouble } from '../../testing/agent-double.js'

const world = useWorld()
let plane: Plane
let agent: AgentDouble
let tenant: Tenant
const signal = new AbortController().signal

beforeAll(async () => {
  plane = await world.start({ pace: 0.05 })
})
beforeEach(async () => {
  tenant = await plane.tenant()
})
/** Takes phones only from a new host, by draining earlier hosts. */
async function rack(count: number): Promise<void> {
  for (const { id } of await plane.app.core.db.host.findMany()) await drain(`/hosts/${id}`, 0)
  agent = await plane.rack(count)
}

async function call(method: 'GET' | 'POST' | 'DELETE', path: string, payload?: object) {
  const answer = await plane.operator.inject({
    method,
    url: `/operator/v1${path}`,
    headers: { authorization: `Bearer ${plane.operatorToken}` },
    ...(payload ? { payload } : {}),
  })
  return { status: answer.statusCode, body: answer.json<Record<string, unknown>>() }
}
const drain = (path: string, seconds: number) => call('POST', `${path}/drain`, { deadline_seconds: seconds })
const messageOf = ({ body }: { body: Record<string, unknown> }) =>
  (body['error'] as { message: string } | undefined)?.message ?? ''

const phones = () => plane.app.services.phones
const until = (id: string, status: string) =>
  phones().wait(id, (phone) => phone.status === status, 60_000, signal)
const create = () => phones().create(tenant.caller, createBody(), null)
const start = (id: string, maxDuration: number | null = null) =>
  phones().start(tenant.caller, id, { idleTimeout: null, maxDuration })
const lastSession = async (id: string) =>
  (await phones().sessions(tenant.caller, id, { limit: 1, cursor: null })).data[0]
const deviceOf = (phoneId: string) => plane.app.core.db.device.findUniqueOrThrow({ where: { phoneId } })

async function ready(): Promise<string> {
  const { phone } = await create()
  await until(phone.id, 'ready')
  return phone.id
}
async function parked(): Promise<string> {
  const id = await ready()
  await phones().park(tenant.caller, id)
  await until(id, 'parked')
  return id
}

it('refuses new work on a draining host, lets its sessions continue, and takes work again after undrain', async () => {
  await rack(3)
  const [running, resting] = [await ready(), await parked()]
  const before = await phones().get(tenant.caller, running)
  const drained = await drain(`/hosts/${agent.hostId}`, 1800)
  expect(drained).toMatchObject({ status: 200, body: { id: agent.hostId, state: 'online', running: 1 } })
  const lasts =
    Date.parse(String(drained.body['drain_until'])) - Date.parse(String(drained.body['drained_at']))
  expect(lasts).toBe(1_800_000)

  expect(await refusalOf(create())).toBe('capacity_unavailable')
  expect(await refusalOf(start(resting))).toBe('phone_unavailable')
  const after = await phones().get(tenant.caller, running)
  expect(after).toMatchObject({ status: 'ready', session: { idleTimeout: before.session?.idleTimeout } })
  expect(after.session?.parksAt).toEqual(before.session?.parksAt)
  const renewed = await start(running, 3000)
  expect(renewed.session?.maxDuration).toBeGreaterThan(2999)
  const hosts = (await call('GET', '/hosts')).body['data'] as Record<string, unknown>[]
  expect(hosts.find(({ id }) => id === agent.hostId)).toMatchObject({
    drain_until: drained.body['drain_until'],
    running: 1,
  })

  expect((await call('POST', `/hosts/${agent.hostId}/undrain`)).body).toMatchObject({
    drained_at: null,
    drain_until: null,
  })
  await start(resting)
  await until(resting, 'ready')
  expect(await brokenInvariants(plane.app.core.db)).toEqual([])
})

it('makes running phones unavailable at the deadline, billed to that moment, and starts them after undrain', async () => {
  await rack(1)
  const id = await ready()
  const device = await deviceOf(id)
  await drain(`/hosts/${agent.hostId}`, 600)
  await start(id, 3000)
  // The deadline, 10 minutes later.
  const drainUntil = plane.app.core.clock.now()
  await plane.app.core.db.host.update({ where: { id: agent.hostId }, data: { drainUntil } })
  const ended = await until(id, 'unavailable')
  expect(ended).toMatchObject({ session: null, failure: { code: 'phone_unavailable' } })
  const session = await lastSession(id)
  expect(session).toMatchObject({ endReason: 'unavailable' })
  expect(session?.endedAt).toEqual(drainUntil)
  expect(session?.billedSeconds).toBe(60)
  expect((await deviceOf(id)).id).toBe(device.id)
  // The agent parks the device, so that the host can be stopped.
  await eventually(() => agent.log.some((line) => line.startsWith(`park ${id}`)))
  expect(await refusalOf(start(id))).toBe('phone_unavailable')
  await call('POST', `/hosts/${agent.hostId}/undrain`)
  await start(id)
  expect((await until(id, 'ready')).failure).toBeNull()
  expect(await brokenInvariants(plane.app.core.db)).toEqual([])
})

it('ends a session that was due before the deadline with its own reason', async () => {
  await rack(1)
  const id = await ready()
  await drain(`/hosts/${agent.hostId}`, 3600)
  const { db } = plane.app.core
  // The control plane notices both at the same time, as after its own outage.
  const idleSince = new Date(Date.now() - 3_600_000)
  await db.session.updateMany({ where: { phoneId: id }, data: { startedAt: idleSince, readyAt: idleSince } })
  await db.phone.update({ where: { id }, data: { lastActiveAt: idleSince } })
  await db.host.update({ where: { id: agent.hostId }, data: { drainUntil: new Date(Date.now() - 1000) } })
  await until(id, 'parked')
  expect(await lastSession(id)).toMatchObject({ endReason: 'idle' })
})

it('drains one device, and places phones on the others', async () => {
  await rack(2)
  const id = await parked()
  const device = await deviceOf(id)
  expect((await drain(`/devices/${device.id}`, 60)).body).toMatchObject({ id: device.id, state: 'assigned' })
  expect(await refusalOf(start(id))).toBe('phone_unavailable')
  const other = await ready()
  expect((await deviceOf(other)).id).not.toBe(device.id)
  await phones().delete(tenant.caller, id)
  const freed = { where: { id: device.id, state: 'free' } }
  await eventually(async () => (await plane.app.core.db.device.count(freed)) === 1)
  expect(await refusalOf(create())).toBe('capacity_unavailable')
  expect((await call('POST', `/devices/${device.id}/undrain`)).body).toMatchObject({ drained_at: null })
  await ready()
})

it('keeps a device in maintenance out of the pool, with its note', async () => {
  await rack(2)
  const busy = await ready()
  const { db } = plane.app.core
  const free = await db.device.findFirstOrThrow({ where: { hostId: agent.hostId, state: 'free' } })
  const noted = await call('POST', `/devices/${free.id}/maintenance`, { note: 'new battery' })
  expect(noted).toMatchObject({ status: 200, body: { state: 'free', maintenance: { note: 'new battery' } } })
  expect(await refusalOf(create())).toBe('capacity_unavailable')
  const inUse = (await deviceOf(busy)).id
  const refused = await call('POST', `/devices/${inUse}/maintenance`, { note: 'x' })
  expect(refused.status).toBe(400)
  expect(messageOf(refused)).toContain(`./scripts/ctl device drain ${inUse}`)
  expect((await call('POST', `/devices/${free.id}/maintenance`, {})).status).toBe(400)
  expect((await call('DELETE', `/devices/${free.id}/maintenance`, { note: 'done' })).status).toBe(400)

  await drain(`/devices/${inUse}`, 0)
  await until(busy, 'unavailable')
  expect((await call('POST', `/devices/${inUse}/maintenance`, { note: 'x' })).status).toBe(200)
  await call('POST', `/devices/${inUse}/undrain`)
  expect(await refusalOf(start(busy))).toBe('phone_unavailable')
  for (const id of [inUse, free.id])
    expect((await call('DELETE', `/devices/${id}/maintenance`)).body).toMatchObject({ maintenance: null })
  await start(busy)
  await until(busy, 'ready')
  await ready()
})

it('refuses a drain of an unknown host, and a deadline out of range', async () => {
  await rack(0)
  expect((await drain('/hosts/hst_aaaaaaaaaaaa', 5)).status).toBe(404)
  expect((await drain(`/hosts/${agent.hostId}`, -1)).status).toBe(400)
  expect((await drain(`/hosts/${agent.hostId}`, 700_000)).status).toBe(400)
  expect((await call('POST', `/hosts/${agent.hostId}/drain`)).status).toBe(200)
})
