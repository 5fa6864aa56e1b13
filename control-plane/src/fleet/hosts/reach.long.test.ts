// Hosts and devices that disappear and return. Runs with real Postgres and broker; the agent is a double.
import { beforeAll, expect, it } from 'vitest'
import { brokenInvariants } from '../../testing/money.js'
import { loseLink, silence } from '../../testing/silence.js'
import {
  createBody,
  endStart,
  eventually,
  refusalOf,
  useWorld,
  type Plane,
  type Tenant,
} from '../../testing/world.js'
import { type AgentDouble } from '../../testing/agent-double.js'
import { type PhoneView } from '../../rental/phones/types.js'

const twoDays = 2 * 86_400_000

const world = useWorld()
let plane: Plane
let agent: AgentDouble
let tenant: Tenant

beforeAll(async () => {
  plane = await world.start({ pace: 0.05 })
  agent = await plane.rack(2, { beatMs: 200 })
  tenant = await plane.tenant()
})

const context = { requestId: 'req_aaaaaaaaaaaa', signal: new AbortController().signal }
const phones = () => plane.app.services.phones
const until = (id: string, status: string) =>
  phones().wait(id, (phone: PhoneView) => phone.status === status, 60_000, new AbortController().signal)
const observe = (id: string) => plane.app.services.deviceControl.observe(tenant.caller, id, null, context)
const isHeard = () =>
  eventually(async () => {
    const host = await plane.app.core.db.host.findUniqueOrThrow({ where: { id: agent.hostId } })
    return plane.app.core.clock.now().getTime() - Number(host.lastSeenAt) < 5000
  })
const lastSession = async (id: string) =>
  (await phones().sessions(tenant.caller, id, { limit: 1, cursor: null })).data[0]

it('refuses new work to a late host, ends sessions of a lost one, and leaves the phone to a start [3.27, 4.6, 4.23, 4.24]', async () => {
  const { phone } = await phones().create(tenant.caller, createBody(), null)
  await until(phone.id, 'ready')
  const other = await phones().create(tenant.caller, createBody(), null)
  await until(other.phone.id, 'ready')
  await phones().park(tenant.caller, other.phone.id)
  await until(other.phone.id, 'parked')
  await observe(phone.id)

  // Ten minutes pass.
  const { db } = plane.app.core
  const ago = (ms: number) => new Date(plane.app.core.clock.now().getTime() - ms)
  await db.session.updateMany({
    where: { phoneId: phone.id },
    data: { startedAt: ago(600_000), readyAt: ago(590_000) },
  })
  await silence(
    plane,
    [agent],
    8000,
    async () => (await refusalOf(observe(phone.id))) === 'phone_unavailable',
  )
  const start = () => phones().start(tenant.caller, other.phone.id, { idleTimeout: null, maxDuration: null })
  expect(await refusalOf(start())).toBe('phone_unavailable')

  expect((await phones().get(tenant.caller, phone.id)).status).toBe('ready')
  const isUnavailable = async () => (await phones().get(tenant.caller, phone.id)).status === 'unavailable'
  await silence(plane, [agent], 60_000, isUnavailable)
  expect((await phones().get(tenant.caller, phone.id)).session).toBeNull()
  const session = await lastSession(phone.id)
  expect(session?.endReason).toBe('unavailable')
  const host = await db.host.findUniqueOrThrow({ where: { id: agent.hostId } })
  expect(session?.endedAt).toEqual(host.lastSeenAt)
  expect(await refusalOf(phones().park(tenant.caller, phone.id))).toBe('phone_not_running')

  agent.resume()
  await isHeard()
  expect((await phones().get(tenant.caller, phone.id)).status).toBe('unavailable')
  await phones().start(tenant.caller, phone.id, { idleTimeout: null, maxDuration: null })
  await until(phone.id, 'ready')
  for (const id of [phone.id, other.phone.id]) await phones().delete(tenant.caller, id)
  await allFree()
  expect(await brokenInvariants(plane.app.core.db)).toEqual([])
})

it('waits a moment for a late host, and refuses nothing when its heartbeat arrives', async () => {
  const { phone } = await phones().create(tenant.caller, createBody(), null)
  await until(phone.id, 'ready')
  await silence(plane, [agent], 8000, () => Promise.resolve(true))
  const seen = observe(phone.id)
  agent.resume()
  expect((await seen).text).toBe('app x')
  await phones().delete(tenant.caller, phone.id)
  await allFree()
})

it("shows the link of a lost host's device as unknown, and keeps a drained host's phones past the loss limit", async () => {
  const drained = await world.start({ pace: 0.05 })
  const request = (method: 'GET' | 'POST', path: string) =>
    drained.operator.inject({
      method,
      url: `/operator/v1${path}`,
      headers: { authorization: `Bearer ${drained.operatorToken}` },
    })
  const racks = [await drained.rack(1, { beatMs: 200 }), await drained.rack(1, { beatMs: 200 })]
  const owner = await drained.tenant()
  const service = drained.app.services.phones
  const until = (id: string, status: string) =>
    service.wait(id, (view: PhoneView) => view.status === status, 60_000, new AbortController().signal)
  const ids: string[] = []
  while (ids.length < racks.length) {
    const { phone } = await service.create(owner.caller, createBody(), null)
    await until(phone.id, 'ready')
    await service.park(owner.caller, phone.id)
    await until(phone.id, 'parked')
    ids.push(phone.id)
  }
  const { db } = drained.app.core
  const [kept, lost] = ids as [string, string]
  const device = await db.device.findUniqueOrThrow({ where: { phoneId: kept } })
  const view = async () =>
    (await request('GET', `/devices/${device.id}`)).json<{ link: string; host_state: string }>()
  expect(await view()).toMatchObject({ link: 'healthy', host_state: 'online' })
  expect((await request('POST', `/hosts/${device.hostId}/drain`)).statusCode).toBe(200)
  await silence(drained, racks, 60_000, async () => (await view()).host_state === 'lost')
  expect((await view()).link).toBe('unknown')
  await silence(
    drained,
    racks,
    twoDays,
    async () => (await service.get(owner.caller, lost)).status === 'failed',
  )
  expect((await service.get(owner.caller, kept)).status).toBe('parked')
  for (const rack of racks) rack.resume()
  await eventually(async () => (await view()).host_state === 'online')
  await request('POST', `/hosts/${device.hostId}/undrain`)
  await service.start(owner.caller, kept, { idleTimeout: null, maxDuration: null })
  await until(kept, 'ready')
  await drained.close()
})

const allFree = () =>
  eventually(
    async () => (await plane.app.core.db.device.count({ where: { state: 'free', link: 'healthy' } })) === 2,
  )

it('loses one device while its host is alive', async () => {
  const { phone } = await phones().create(tenant.caller, createBody(), null)
  await until(phone.id, 'ready')
  const row = await plane.app.core.db.device.findUniqueOrThrow({ where: { phoneId: phone.id } })
  const device = agent.devices.get(row.serial)
  if (!device) throw new Error('no device')
  device.link = 'offline'
  agent.beat()
  await loseLink(plane, { phoneId: phone.id })
  expect((await phones().get(tenant.caller, phone.id)).status).toBe('unavailable')
  device.link = 'healthy'
  agent.beat()
  await phones().delete(tenant.caller, phone.id)
  await allFree()
})

it('parks a phone again when its start times out, free of charge [3.13, 3.26, 4.13]', async () => {
  const { phone } = await phones().create(tenant.caller, createBody(), null)
  await until(phone.id, 'ready')
  await phones().park(tenant.caller, phone.id)
  await until(phone.id, 'parked')
  const row = await plane.app.core.db.device.findUniqueOrThrow({ where: { phoneId: phone.id } })
  const device = agent.devices.get(row.serial)
  if (!device) throw new Error('no device')
  device.onStart = () => Promise.reject(new Error('no transport'))
  await phones().start(tenant.caller, phone.id, { idleTimeout: null, maxDuration: null })
  await endStart(plane, phone.id)
  const parked = await until(phone.id, 'parked')
  expect(parked.failure?.code).toBe('provider_timeout')
  expect(await lastSession(phone.id)).toMatchObject({ endReason: 'failed', billedSeconds: 0, costMicros: 0n })
  delete device.onStart
  await phones().start(tenant.caller, phone.id, { idleTimeout: null, maxDuration: null })
  expect((await until(phone.id, 'ready')).failure).toBeNull()
  await phones().delete(tenant.caller, phone.id)
  await allFree()
})

it('fails the phones of a host that stays away, or that the operator retires, and quarantines the devices', async () => {
  const away = await world.start({ pace: 0.05 })
  const rack = await away.rack(2, { beatMs: 200 })
  const owner = await away.tenant()
  const service = away.app.services.phones
  const signal = new AbortController().signal
  const made = await Promise.all([0, 1].map(() => service.create(owner.caller, createBody(), null)))
  for (const { phone } of made)
    await service.wait(phone.id, (view) => view.status === 'ready', 60_000, signal)
  const [given, kept] = made.map(({ phone }) => phone.id)
  if (!given || !kept) throw new Error('no phones')
  const { db } = away.app.core
  const device = await db.device.findUniqueOrThrow({ where: { phoneId: given } })
  const keptDevice = await db.device.findUniqueOrThrow({ where: { phoneId: kept } })
  const statusOf = async (id: string) => (await service.get(owner.caller, id)).status
  await silence(away, [rack], 60_000, async () => (await statusOf(given)) === 'unavailable')
  const released = await away.operator.inject({
    method: 'POST',
    url: `/operator/v1/devices/${device.id}/release`,
    headers: { authorization: `Bearer ${away.operatorToken}` },
  })
  expect(released.json()).toMatchObject({ state: 'wiping', phone_id: null })
  expect((await service.get(owner.caller, given)).status).toBe('failed')
  await silence(away, [rack], twoDays, async () => (await statusOf(kept)) === 'failed')
  expect((await service.get(owner.caller, kept)).failure?.code).toBe('phone_unavailable')
  expect((await db.device.findUniqueOrThrow({ where: { id: keptDevice.id } })).state).toBe('quarantined')
  expect((await service.account(owner.caller)).phones).toBe(0)
  rack.resume()
  await eventually(
    async () => (await db.device.findUniqueOrThrow({ where: { id: device.id } })).state === 'free',
  )
  expect(await brokenInvariants(db)).toEqual([])
})
