// Operators' decisions about devices are safe from concurrent changes, since they are made on
// locked rows.
import { newId } from '@phonerack/shared'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { countLockWaits } from '../testing/lock-waits.js'
import { createBody, eventually, startWorld, type Plane, type Tenant, type World } from '../testing/world.js'

let world: World
let plane: Plane
let beside: Plane
let tenant: Tenant
beforeAll(async () => {
  world = startWorld()
  plane = await world.start()
  beside = await world.start({ beside: plane })
})
afterAll(() => world.stop())
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
      ...{ id: newId('host'), name: 'h', country: 'US', natsPublicKey: newId('host') },
      lastSeenAt: new Date(),
    },
  })
  const id = newId('device')
  await db.device.create({
    data: {
      ...{ id, hostId: host.id, serial: id, state: 'quarantined', link: 'healthy', fencingNumber: 3n },
      ...{ enrolledAt: new Date(), ...change },
    },
  })
  return id
}
const phone = async (status = 'unavailable'): Promise<string> => {
  const id = newId('phone')
  await plane.app.core.db.phone.create({
    data: { ...{ id, projectId: tenant.projectId, keyId: 'k', name: 'p', status }, createdAt: new Date() },
  })
  return id
}

/**
 * Holds the row that `lock` selects while `racing` begins, changes it with `change`, then lets
 * `racing` continue.
 */
async function duringLock<T>(
  lock: string,
  change: string,
  id: string,
  racing: () => Promise<T>[],
): Promise<T[]> {
  const holder = new pg.Client({ connectionString: plane.config.databaseUrl })
  await holder.connect()
  try {
    await holder.query('begin')
    await holder.query(lock, [id])
    const running = racing()
    await eventually(async () => (await countLockWaits(holder)) >= running.length)
    if (change !== '') await holder.query(change, [id])
    await holder.query('commit')
    return await Promise.all(running)
  } finally {
    await holder.end()
  }
}
const lockedDevice = 'select 1 from devices where id = $1 for update'

it('releases a device once when two operators release it at the same moment', async () => {
  const id = await held()
  const answers = await duringLock(lockedDevice, '', id, () => [release(id), release(id, {}, beside)])
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
    lockedDevice,
    `update devices set state = 'assigned', phone_id = '${phoneId}', fencing_number = 9 where id = $1`,
    id,
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
    'select 1 from phones where id = $1 for update',
    `update devices set state = 'assigned', reason = null where phone_id = $1`,
    phoneId,
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
    'select 1 from phones where id = $1 for update',
    `update devices set state = 'wiping', phone_id = null, reason = null where phone_id = $1`,
    made.phone.id,
    () => [release(id)],
  )
  expect(answer?.statusCode, answer?.body).toBe(400)
  const found = await db.phone.findUniqueOrThrow({ where: { id: made.phone.id } })
  expect(found.status).not.toBe('failed')
})

it('returns a device to its phone once, and names the state that it then has', async () => {
  const phoneId = await phone()
  const id = await held({ phoneId })
  const answers = await duringLock(lockedDevice, '', id, () => [
    release(id, { keep: true }),
    release(id, { keep: true }, beside),
  ])
  expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([202, 400])
  expect(await deviceOf(id)).toMatchObject({ state: 'assigned', phoneId, fencingNumber: 3n })
  expect(await entries(id)).toBe(1)
})

it('enrols a device once when two operators enrol it at the same moment, and gives the other a reason', async () => {
  const id = await held({ state: 'unenrolled' })
  const enroll = (on: Plane) =>
    on.operator.inject({
      method: 'POST',
      url: `/operator/v1/devices/${id}/enroll`,
      headers: { authorization: `Bearer ${plane.operatorToken}` },
      payload: { erase: true },
    })
  const answers = await duringLock(lockedDevice, '', id, () => [enroll(plane), enroll(beside)])
  expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([202, 400])
  const refused = answers.find(({ statusCode }) => statusCode === 400)?.json<Refusal>()
  expect(refused?.error.message).toContain('cannot be enrolled while it is provisioning')
})
