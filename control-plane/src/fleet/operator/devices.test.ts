// Operators' decisions about devices are safe from concurrent changes, since they are made on locked rows. No
// replica uses a retired host.
import { type Assignment, type ObserveRequest, type ObserveResponse } from '@phonerack/proto'
import { newId, Progress } from '@phonerack/shared'
import { beforeAll, beforeEach, expect, it } from 'vitest'
import { callHost } from '../../links/host-calls/calls.js'
import { duringLock } from '../../testing/lock-waits.js'
import { brokenInvariants } from '../../testing/money.js'
import { createBody, eventually, useWorld, type Plane, type Tenant } from '../../testing/world.js'

const world = useWorld()
let plane: Plane
let beside: Plane
let tenant: Tenant
beforeAll(async () => {
  plane = await world.start()
  beside = await world.start({ beside: plane })
})
beforeEach(async () => {
  tenant = await plane.tenant()
})

interface Refusal {
  error: { code: string; message: string }
}
const release = (ref: string, body: object = {}, on = plane) =>
  on.operator.inject({
    method: 'POST',
    url: `/operator/v1/devices/${ref}/release`,
    headers: { authorization: `Bearer ${plane.operatorToken}` },
    payload: body,
  })
const deviceOf = (id: string) => plane.app.core.db.device.findUniqueOrThrow({ where: { id } })
const entries = (target: string) => plane.app.core.db.auditEntry.count({ where: { target } })

/** A quarantined device that no phone holds, with a recent heartbeat of its host. */
async function held(change: { phoneId?: string; state?: string } = {}): Promise<string> {
  const { db } = plane.app.core
  const host = await db.host.create({
    data: {
      id: newId('host'),
      name: 'h',
      country: 'US',
      natsPublicKey: newId('host'),
      lastSeenAt: new Date(),
    },
  })
  const id = newId('device')
  await db.device.create({
    data: {
      id,
      hostId: host.id,
      serial: id,
      state: 'quarantined',
      link: 'healthy',
      fencingNumber: 3n,
      enrolledAt: new Date(),
      ...change,
    },
  })
  return id
}
const phone = async (status = 'unavailable'): Promise<string> => {
  const id = newId('phone')
  await plane.app.core.db.phone.create({
    data: { id, projectId: tenant.projectId, keyId: 'k', name: 'p', status, createdAt: new Date() },
  })
  return id
}

it('releases a device once when two operators release it at the same moment', async () => {
  const id = await held()
  const answers = await duringLock(plane, { table: 'devices', id }, () => [
    release(id),
    release(id, {}, beside),
  ])
  expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([202, 400])
  const refused = answers.find(({ statusCode }) => statusCode === 400)?.json<Refusal>()
  expect(refused?.error.message).toContain('cannot be released while it is wiping')
  expect((await deviceOf(id)).fencingNumber).toBe(4n)
  expect(await entries(id)).toBe(1)
})

it('refuses to release a device that was assigned to a phone in the meantime', async () => {
  const id = await held()
  const phoneId = await phone('ready')
  const [answer] = await duringLock(
    plane,
    {
      table: 'devices',
      id,
      change: `update devices set state = 'assigned', phone_id = '${phoneId}', fencing_number = 9 where id = $1`,
    },
    () => [release(id)],
  )
  expect(answer?.statusCode, answer?.body).toBe(400)
  expect(answer?.json<Refusal>().error.message).toContain('has been assigned to another phone')
  expect(await deviceOf(id)).toMatchObject({ state: 'assigned', phoneId, fencingNumber: 9n })
  expect(await entries(id)).toBe(0)
})

it('does not fail a phone that got its device back from another operator in the meantime', async () => {
  const phoneId = await phone()
  const id = await held({ phoneId })
  const [answer] = await duringLock(
    plane,
    {
      table: 'phones',
      id: phoneId,
      change: `update devices set state = 'assigned', reason = null where phone_id = $1`,
    },
    () => [release(id)],
  )
  expect(answer?.statusCode, answer?.body).toBe(400)
  expect(await deviceOf(id)).toMatchObject({ state: 'assigned', phoneId })
  const found = await plane.app.core.db.phone.findUniqueOrThrow({ where: { id: phoneId } })
  expect(found.status).toBe('unavailable')
  expect(await entries(id)).toBe(0)
})

it('does not release again a device whose phone was deleted and which is being wiped', async () => {
  const agent = await plane.rack(1)
  const { phones } = plane.app.services
  const made = await phones.create(tenant.caller, createBody(), null)
  await phones.wait(made.phone.id, ({ status }) => status === 'ready', 30_000, new AbortController().signal)
  const { db } = plane.app.core
  const { id } = await db.device.findFirstOrThrow({ where: { hostId: agent.hostId } })
  await db.device.update({ where: { id }, data: { state: 'quarantined', reason: 'a test' } })
  const [answer] = await duringLock(
    plane,
    {
      table: 'phones',
      id: made.phone.id,
      change: `update devices set state = 'wiping', phone_id = null, reason = null where phone_id = $1`,
    },
    () => [release(id)],
  )
  expect(answer?.statusCode, answer?.body).toBe(400)
  const found = await db.phone.findUniqueOrThrow({ where: { id: made.phone.id } })
  expect(found.status).not.toBe('failed')
})

it('returns a device to its phone once, and names the new state of the device', async () => {
  const phoneId = await phone()
  const id = await held({ phoneId })
  const answers = await duringLock(plane, { table: 'devices', id }, () => [
    release(id, { keep: true }),
    release(id, { keep: true }, beside),
  ])
  expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([202, 400])
  expect(await deviceOf(id)).toMatchObject({ state: 'assigned', phoneId, fencingNumber: 3n })
  expect(await entries(id)).toBe(1)
})

it('enrols a device once when two operators enrol it at the same moment, and tells the second operator the reason', async () => {
  const id = await held({ state: 'unenrolled' })
  const enroll = (on: Plane) =>
    on.operator.inject({
      method: 'POST',
      url: `/operator/v1/devices/${id}/enroll`,
      headers: { authorization: `Bearer ${plane.operatorToken}` },
      payload: { erase: true },
    })
  const answers = await duringLock(plane, { table: 'devices', id }, () => [enroll(plane), enroll(beside)])
  expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([202, 400])
  const refused = answers.find(({ statusCode }) => statusCode === 400)?.json<Refusal>()
  expect(refused?.error.message).toContain('cannot be enrolled while it is provisioning')
})

const operate = (method: 'GET' | 'POST', path: string, payload?: object, on = plane) =>
  on.operator.inject({
    method,
    url: `/operator/v1${path}`,
    headers: { authorization: `Bearer ${plane.operatorToken}` },
    ...(payload ? { payload } : {}),
  })
const idsIn = async (path: string) =>
  (await operate('GET', path)).json<{ data: { id: string }[] }>().data.map(({ id }) => id)

it('retires a host: its phones fail with the reason, and every replica stops calling and hearing it', async () => {
  const { db } = plane.app.core
  // Hosts of earlier tests take no phones.
  await db.host.updateMany({ data: { drainedAt: new Date(), drainUntil: new Date() } })
  const agent = await plane.rack(3)
  const { hostId } = agent
  const { phones } = plane.app.services
  const { caller } = tenant
  const broken = await brokenInvariants(db)
  const until = (id: string, status: string) =>
    phones.wait(id, (phone) => phone.status === status, 60_000, new AbortController().signal)
  const ready = async () => {
    const { phone } = await phones.create(caller, createBody(), null)
    await until(phone.id, 'ready')
    return phone.id
  }
  const [running, resting] = [await ready(), await ready()]
  await phones.park(caller, resting)
  await until(resting, 'parked')
  const { address, name } = await db.host.findUniqueOrThrow({ where: { id: hostId } })
  const at = { address: address ?? '', certificateFingerprint: null }
  // Each replica has a call to the host that gets no answer.
  let calls = 0
  agent.onCall = () => {
    calls += 1
    return new Promise(() => undefined)
  }
  const { serial, fencingNumber } = await db.device.findUniqueOrThrow({ where: { phoneId: running } })
  const assignment: Assignment = {
    phoneId: running,
    tenant: '',
    hasData: true,
    requestId: '',
    serial,
    fencingNumber,
  }
  const long = (on: Plane) =>
    callHost<ObserveRequest, ObserveResponse>(
      on.app.hosts.to(hostId, at),
      (client, ...rest) => client.observe(...rest),
      { assignment, screenshot: undefined },
      Progress.for(300_000),
    ).catch((error: unknown) => error)
  const observing = [plane, beside].map(long)
  await eventually(() => calls === 2)

  const refused = await operate('POST', `/hosts/${hostId}/retire`)
  expect(refused.statusCode).toBe(400)
  expect(refused.json<Refusal>().error.message).toContain('2 phones are on this host')
  expect(await idsIn('/hosts')).toContain(hostId)

  const retired = await operate('POST', `/hosts/${name}/retire`, { force: true })
  expect(retired.json()).toMatchObject({ id: hostId, state: 'retired', address: null, phones: 2 })
  for (const failure of await Promise.all(observing))
    expect(failure).toMatchObject({ message: 'the host is retired', timedOut: false })
  const { retired_at: retiredAt } = retired.json<{ retired_at: string }>()
  const failed = await until(running, 'failed')
  expect(failed.failure).toMatchObject({ code: 'phone_unavailable' })
  expect(failed.failure?.message).toBe(
    'The host of the phone was retired. Its apps and data are lost. Create another phone.',
  )
  const session = (await phones.sessions(caller, running, { limit: 1, cursor: null })).data[0]
  expect(session).toMatchObject({ endReason: 'failed', billedSeconds: 60 })
  expect(session?.endedAt?.toISOString()).toBe(retiredAt)
  expect((await until(resting, 'failed')).failure?.message).toContain('data are lost')
  // Other tests wrote unbalanced rows into the tables, and a sweep may balance some of them.
  expect((await brokenInvariants(db)).filter((each) => !broken.includes(each))).toEqual([])

  for (const { app } of [plane, beside]) {
    await eventually(() => app.hosts.isRetired(hostId))
    const connection = app.hosts.to(hostId, at)
    expect(connection.fault).toBe('the host is retired')
    expect(await connection.ready(1000)).toBe(false)
  }
  const rows = () => db.device.findMany({ where: { hostId } })
  for (const row of await rows()) expect(row).toMatchObject({ state: 'unenrolled', enrolledAt: null })
  expect(await idsIn('/hosts')).not.toContain(hostId)
  expect(await idsIn('/hosts?all=true')).toContain(hostId)
  const [first] = await rows()
  expect(await idsIn('/devices')).not.toContain(first?.id)

  // The machine still runs. Another host uses its name and its phones.
  const again = await plane.agent(name)
  const moved = again.addDevice(serial)
  await eventually(async () => (await db.device.count({ where: { hostId: again.hostId } })) === 1)
  agent.beat()
  expect((await operate('POST', `/devices/${moved.serial}/enroll`, { erase: true })).statusCode).toBe(202)
  await eventually(
    async () => (await db.device.count({ where: { hostId: again.hostId, state: 'free' } })) === 1,
  )
  expect(await db.host.findUniqueOrThrow({ where: { id: hostId } })).toMatchObject({ address: null })
  expect((await operate('POST', `/devices/${first?.id ?? ''}/enroll`, { erase: true })).body).toContain(
    'retired',
  )
  expect((await operate('POST', `/hosts/${hostId}/rejoin`)).statusCode).toBe(400)
  const repeated = await operate('POST', `/hosts/${hostId}/retire`)
  expect(repeated.json()).toMatchObject({ state: 'retired', retired_at: retiredAt, phones: 0 })
})
