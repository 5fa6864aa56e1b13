// The silence after which a host is lost for good. An old dump and a step of Postgres's clock do not count as
// silence. Runs with real Postgres and broker.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { renewEpoch } from '../../base/db/epoch.js'
import { createBody, eventually, startWorld, type World } from '../../testing/world.js'
import { isHostLostForGood, ListenedTime } from '../../rental/devices/listened.js'
import { type PhoneView } from '../../rental/phones/types.js'

let world: World
beforeAll(() => {
  world = startWorld()
})
afterAll(() => world.stop())

it('keeps parked phones and recordings of hosts whose silence is only in old times', async () => {
  const plane = await world.start({ env: { PHONERACK_HOST_LATE_AFTER: '1', PHONERACK_HOST_LOST_AFTER: '2' } })
  const agent = await plane.rack(3, { beatMs: 200 })
  const tenant = await plane.tenant()
  const { phones, recordings } = plane.app.services
  const { db } = plane.app.core
  const context = { requestId: 'req_aaaaaaaaaaaa', signal: new AbortController().signal }
  const until = (id: string, status: string) =>
    phones.wait(id, (view: PhoneView) => view.status === status, 10_000, context.signal)
  const made = await Promise.all([0, 1, 2].map(() => phones.create(tenant.caller, createBody(), null)))
  const [running, parked, unplugged] = made.map(({ phone }) => phone.id)
  if (!running || !parked || !unplugged) throw new Error('no phones')
  for (const id of [running, parked, unplugged]) await until(id, 'ready')
  const recording = await recordings.start(tenant.caller, running, null, context)
  for (const id of [parked, unplugged]) {
    await phones.park(tenant.caller, id)
    await until(id, 'parked')
  }
  const { serial } = await db.device.findUniqueOrThrow({ where: { phoneId: unplugged } })
  const device = agent.devices.get(serial)
  if (!device) throw new Error('no device')
  device.link = 'offline'
  agent.beat()
  await eventually(async () => (await db.device.findFirst({ where: { serial } }))?.linkLostAt !== null)

  agent.pause()
  await db.$executeRaw`update hosts set last_seen_at = last_seen_at - interval '2 days'`
  await db.$executeRaw`update devices set link_lost_at = link_lost_at - interval '2 days' where serial = ${serial}`
  // The replica trusts the silence: it ends the session.
  await until(running, 'unavailable')
  await new Promise((resolve) => setTimeout(resolve, 2500))
  const statuses = await db.phone.findMany({ where: { id: { in: [parked, unplugged] } } })
  expect(statuses.map(({ status }) => status)).toEqual(['parked', 'parked'])
  const row = await db.recording.findUniqueOrThrow({ where: { id: recording.id } })
  expect([row.status === 'failed', row.isDropped]).toEqual([false, false])
})

it('counts only silence during which replicas listened, each moment once and across restarts', async () => {
  const plane = await world.start({ env: { PHONERACK_LOST_FOR_GOOD_AFTER: '100' } })
  const agent = await plane.rack(1, { beatMs: 200 })
  agent.pause()
  await plane.app.quiesce()
  const { core } = plane.app
  const isLost = () => isHostLostForGood(core, agent.hostId)
  await core.db.$executeRaw`update hosts set last_seen_at = last_seen_at - interval '2 days'`
  const total = async () => Number((await core.db.listened.findUniqueOrThrow({ where: { id: 1 } })).totalMs)
  const before = await total()
  let now = 0
  const replica = () => new ListenedTime(() => now)
  const counts = async (...replicas: ListenedTime[]): Promise<void> => {
    for (now += 1000; replicas.length > 0; now += 500) await replicas.shift()?.count(core.db)
  }
  const [first, second] = [replica(), replica()]
  for (let look = 0; look < 20; look += 1) await counts(first, second)
  // The test makes 20 sweeps, 2 s apart. The first sweep only starts the count.
  expect((await total()) - before).toBe(38_000)
  // The second replica takes over from the first, and misses at most one sweep.
  const after = await total()
  for (let look = 0; look < 10; look += 1) await counts(second)
  expect((await total()) - after).toBeGreaterThan(12_000)
  expect((await total()) - after).toBeLessThanOrEqual(16_000)
  // A pause of the process does not count.
  const paused = await total()
  second.pause()
  now += 3_600_000
  await counts(second)
  expect(await total()).toBe(paused)
  expect(await isLost()).toBe(false)

  for (let restart = 0; restart < 3; restart += 1) {
    const restarted = replica()
    for (let look = 0; look < 20; look += 1) await counts(restarted)
  }
  expect(await isLost()).toBe(true)
  await renewEpoch(core.db, core.clock.now())
  expect(await isLost()).toBe(false)
})
