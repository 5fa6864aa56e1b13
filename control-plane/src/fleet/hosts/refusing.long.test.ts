// Hosts whose agent takes no new work: placement, starts, wipes and devices. Runs with real Postgres, jobs,
// broker and gRPC; the agents are doubles.
import { HostRefused, type Heartbeat } from '@phonerack/shared'
import { beforeAll, beforeEach, expect, it } from 'vitest'
import { createBody, eventually, refusalOf, useWorld, type Plane, type Tenant } from '../../testing/world.js'
import { type AgentDouble } from '../../testing/agent-double.js'
import { inTransaction } from '../../base/db/database.js'
import { lockPhone } from '../../rental/phones/records.js'
import { sweepStopping } from './stopping.js'

const world = useWorld()
let plane: Plane
let full: AgentDouble
let tenant: Tenant
const signal = new AbortController().signal

beforeAll(async () => {
  plane = await world.start({ pace: 0.05 })
})
beforeEach(async () => {
  tenant = await plane.tenant()
  // Retire hosts of earlier tests, so that they get no phones.
  await plane.app.core.db.host.updateMany({ data: { drainedAt: new Date(), drainUntil: new Date() } })
  full = await plane.rack(2)
})

const phones = () => plane.app.services.phones
const create = () => phones().create(tenant.caller, createBody(), null)
const until = (id: string, status: string) =>
  phones().wait(id, (phone) => phone.status === status, 60_000, signal)
const devices = (agent: AgentDouble) =>
  plane.app.core.db.device.findMany({ where: { hostId: agent.hostId }, orderBy: { id: 'asc' } })
const refusing = (kind: string) => (message: Heartbeat) => ({
  ...message,
  refuses: { kind, reason: 'The disk of /var/lib/phonerack is full. Delete files on this disk.' },
})

async function hostOf(agent: AgentDouble): Promise<Record<string, unknown>> {
  const answer = await plane.operator.inject({
    url: '/operator/v1/hosts',
    headers: { authorization: `Bearer ${plane.operatorToken}` },
  })
  const { data } = answer.json<{ data: Record<string, unknown>[] }>()
  return data.find(({ id }) => id === agent.hostId) ?? {}
}

async function says(agent: AgentDouble, kind: string | null): Promise<void> {
  agent.onHeartbeat = kind === null ? (message) => message : refusing(kind)
  agent.beat()
  await eventually(async () => {
    const { refuses } = await plane.app.core.db.host.findUniqueOrThrow({ where: { id: agent.hostId } })
    return refuses === kind
  })
}

it('gives a refusing host no phones, shows why, and uses it again when it recovers', async () => {
  const { phone } = await create()
  await until(phone.id, 'ready')
  await phones().park(tenant.caller, phone.id)
  await until(phone.id, 'parked')
  await says(full, 'disk_full')
  expect(await hostOf(full)).toMatchObject({
    state: 'refusing',
    refuses: 'The disk of /var/lib/phonerack is full. Delete files on this disk.',
  })
  expect(await refusalOf(create())).toBe('capacity_unavailable')
  expect(
    await refusalOf(phones().start(tenant.caller, phone.id, { idleTimeout: null, maxDuration: null })),
  ).toBe('phone_unavailable')
  expect(full.log.filter((line) => line.startsWith('start'))).toHaveLength(1)

  await says(full, null)
  await phones().start(tenant.caller, phone.id, { idleTimeout: null, maxDuration: null })
  await until(phone.id, 'ready')
  await says(full, 'own_fault')
  const { power } = plane.app.services
  const context = { requestId: 'req_test', signal }
  for (const restart of ['reboot', 'reset'] as const)
    expect(await refusalOf(power[restart](tenant.caller, phone.id, context))).toBe('phone_unavailable')
  expect((await phones().get(tenant.caller, phone.id)).status).toBe('ready')

  await says(full, 'stopping')
  expect(await hostOf(full)).toMatchObject({ state: 'stopping' })
  await says(full, null)
  expect(await hostOf(full)).toMatchObject({ state: 'online' })
  const again = await create()
  await until(again.phone.id, 'ready')
})

it('ends the run of a phone whose agent stops for longer than it may, billed to the begin of the stop', async () => {
  const { phone } = await create()
  await until(phone.id, 'ready')
  await says(full, 'stopping')
  const { db } = plane.app.core
  const { stoppingSince } = await db.host.findUniqueOrThrow({ where: { id: full.hostId } })
  // The next reports keep the time.
  await says(full, 'stopping')
  expect(await db.host.findUniqueOrThrow({ where: { id: full.hostId } })).toMatchObject({ stoppingSince })
  await sweepStopping(plane.app.core)
  expect((await phones().get(tenant.caller, phone.id)).status).toBe('ready')

  // Moves every stored time three minutes back, as if three minutes had passed.
  const ago = (date: Date | null) => new Date((date?.getTime() ?? 0) - 180_000)
  const session = await db.session.findFirstOrThrow({ where: { phoneId: phone.id } })
  await db.session.update({ where: { id: session.id }, data: { startedAt: ago(session.startedAt) } })
  await db.host.update({ where: { id: full.hostId }, data: { stoppingSince: ago(stoppingSince) } })
  await until(phone.id, 'unavailable')
  const ended = await db.session.findUniqueOrThrow({ where: { id: session.id } })
  expect(ended.endedAt).toEqual(ago(stoppingSince))
  await says(full, null)
  expect(await db.host.findUniqueOrThrow({ where: { id: full.hostId } })).toMatchObject({
    stoppingSince: null,
  })
  await phones().start(tenant.caller, phone.id, { idleTimeout: null, maxDuration: null })
  await until(phone.id, 'ready')
})

it('does not end the run of a phone whose host came back while the sweep waited for the phone', async () => {
  const { phone } = await create()
  await until(phone.id, 'ready')
  await says(full, 'stopping')
  full.pause()
  const { core } = plane.app
  const { db } = core
  let isHeld = false
  let isOver = false
  const locked = inTransaction(db, async (tx) => {
    await lockPhone(tx, phone.id, 'project and phone')
    // Three minutes later.
    const stoppingSince = new Date(Date.now() - 180_000)
    await db.host.update({ where: { id: full.hostId }, data: { stoppingSince, lastSeenAt: new Date() } })
    isHeld = true
    await eventually(() => Promise.resolve(isOver))
  })
  await eventually(() => Promise.resolve(isHeld))
  const swept = sweepStopping(core)
  await eventually(async () => {
    const waits = await db.$queryRaw<unknown[]>`select 1 from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`
    return waits.length > 0
  })
  await db.host.update({ where: { id: full.hostId }, data: { refuses: null, stoppingSince: null } })
  isOver = true
  await Promise.all([locked, swept])
  expect((await phones().get(tenant.caller, phone.id)).status).toBe('ready')
  full.resume()
})

it('forgets the beginning of a stop whose end another replica has applied', async () => {
  const { db } = plane.app.core
  await says(full, 'stopping')
  // A replica of the previous release applies the end of the stop before this replica receives it, and does
  // not clear the begin.
  const ahead = 1_000_000_000n
  const { sequence } = await db.host.findUniqueOrThrow({ where: { id: full.hostId } })
  const data = {
    stoppingSince: new Date(Date.now() - 180_000),
    refuses: null,
    refusesReason: null,
    sequence: sequence + ahead,
    announcedAt: new Date(Date.now() + 600_000),
  }
  await db.host.update({ where: { id: full.hostId }, data })
  full.onHeartbeat = (message) => message
  full.beat()
  await eventually(
    async () => (await db.host.findUniqueOrThrow({ where: { id: full.hostId } })).stoppingSince === null,
  )
  expect((await db.host.findUniqueOrThrow({ where: { id: full.hostId } })).sequence).toBe(sequence + ahead)
})

it('leaves the run of a host that fell silent while stopping to the sweep of silent hosts', async () => {
  const { phone } = await create()
  await until(phone.id, 'ready')
  await says(full, 'stopping')
  await full.stop()
  const { db } = plane.app.core
  const { stoppingSince } = await db.host.findUniqueOrThrow({ where: { id: full.hostId } })
  const ago = new Date((stoppingSince?.getTime() ?? 0) - 180_000)
  await db.host.update({ where: { id: full.hostId }, data: { stoppingSince: ago, lastSeenAt: ago } })
  await sweepStopping(plane.app.core)
  expect((await phones().get(tenant.caller, phone.id)).status).toBe('ready')
})

it('places a new phone at another host when an agent fails by its own fault, and quarantines nothing', async () => {
  const other = await plane.rack(1)
  await says(other, 'disk_full')
  const refuse = () => Promise.reject(new HostRefused('disk_full'))
  for (const device of full.devices.values()) device.onStart = refuse
  const { phone } = await create()
  await says(other, null)
  await until(phone.id, 'ready')
  expect(other.log.filter((line) => line.startsWith('start'))).toHaveLength(1)
  expect((await devices(full)).map(({ state }) => state)).not.toContain('quarantined')
})

it('ends a create that only a faulty host can take, and wipes and frees its devices later', async () => {
  const refuse = () => Promise.reject(new HostRefused('own_fault'))
  for (const device of full.devices.values()) {
    device.onStart = refuse
    device.onWipe = refuse
  }
  const { phone } = await create()
  const failed = await until(phone.id, 'failed')
  expect(failed.failure?.code).toBe('capacity_unavailable')
  await eventually(async () =>
    /waits until the host takes work/.test((await devices(full)).map(({ reason }) => reason).join()),
  )
  for (const device of full.devices.values()) device.onWipe = () => Promise.resolve()
  await eventually(async () => (await devices(full)).every(({ state }) => state === 'free'))
})

it.each([
  ['and says so', 'disk_full'],
  ['and does not say so', null],
])(
  'charges nothing for a reboot that a faulty host cannot finish %s, and quarantines nothing',
  async (_, kind) => {
    const { phone } = await create()
    await until(phone.id, 'ready')
    for (const device of full.devices.values())
      device.onStart = () => Promise.reject(new HostRefused('disk_full'))
    // Moves the deadline ten seconds back: it is then overdue, and the reconciliation enforces it.
    const began = new Date(Date.now() - 10_000)
    await plane.app.services.power.reboot(tenant.caller, phone.id, { requestId: 'req_test', signal })
    const { db, rules } = plane.app.core
    if (kind !== null) await says(full, kind)
    else
      await eventually(async () => (await devices(full)).some(({ startFailedAt }) => startFailedAt !== null))
    // Moves the session and the restart into the past.
    const ago = new Date(began.getTime() - rules.restartGraceMs)
    await db.session.updateMany({
      where: { phoneId: phone.id },
      data: { startedAt: new Date(ago.getTime() - 60_000), readyAt: new Date(ago.getTime() - 50_000) },
    })
    await db.phone.update({ where: { id: phone.id }, data: { startDeadlineAt: began, lastActiveAt: began } })
    await until(phone.id, 'unavailable')
    const session = await db.session.findFirstOrThrow({ where: { phoneId: phone.id } })
    expect(session.endedAt).toEqual(ago)
    expect((await devices(full)).map(({ state }) => state).toSorted()).toEqual(['assigned', 'free'])
  },
)

it('waits with a new phone for an agent that restarts when there is no other host', async () => {
  let refusals = 3
  for (const device of full.devices.values())
    device.onStart = () =>
      (refusals -= 1) < 0 ? Promise.resolve() : Promise.reject(new HostRefused('stopping'))
  const { phone } = await create()
  await until(phone.id, 'ready')
  expect(refusals).toBe(-1)
})

it('tries each host that refuses without saying so once for a create, and then calls it degraded', async () => {
  const racks = [full, await plane.rack(2)]
  for (const rack of racks)
    for (const device of rack.devices.values())
      device.onStart = () => Promise.reject(new HostRefused('own_fault'))
  const starts = () => racks.map(({ log }) => log.filter((line) => line.startsWith('start')).length)
  const first = await create()
  await until(first.phone.id, 'failed')
  // The last host is asked three times, since no other host is left.
  expect(starts().toSorted()).toEqual([1, 3])
  for (const rack of racks)
    await eventually(async () => (await devices(rack)).every(({ state }) => state === 'free'))
  const second = await create()
  await until(second.phone.id, 'failed')
  for (const rack of racks) await eventually(async () => (await hostOf(rack))['state'] === 'degraded')
  expect(await refusalOf(create())).toBe('capacity_unavailable')
})
