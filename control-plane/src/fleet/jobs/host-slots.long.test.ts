/**
 * One host answers no call and another host answers. Runs with real Postgres, jobs, broker and gRPC; the
 * agents are doubles.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type AgentDouble, type DoubleDevice } from '../../testing/agent-double.js'
import { runDueJobs } from '../../testing/jobs-by-hand.js'
import { releaseHeldDevice } from '../../testing/operator.js'
import { readyPhone } from '../../testing/ready-phone.js'
import { eventually, startWorld, type Plane, type Tenant, type World } from '../../testing/world.js'
import { createHostSlots, turnMs, type HostSlots } from '../../base/queue/host-slots.js'
import { parkPhoneJob } from './park-phone.js'
import { jobPayloads } from '../../base/queue/queue.js'
import { startPhoneJob } from './start-phone.js'

let world: World
beforeAll(() => {
  world = startWorld()
})
afterAll(() => world.stop(), 60_000)

describe('the slots of hosts', () => {
  const never = (): Promise<null> => new Promise(() => undefined)
  const take = (total: number, totalLong?: number) => {
    const slots = createHostSlots(total, totalLong)
    /** Requests all slots for a host. Returns the number of slots that the host gets. */
    const greedy = async (hostId: string, length: 'short' | 'long'): Promise<number> => {
      const before = slots.taken
      for (let count = 0; count < total; count += 1)
        await Promise.race([slots.run(hostId, length, never), Promise.resolve()])
      return slots.taken - before
    }
    return { slots, greedy }
  }

  it('give one host at most half of them, and never all of them long work', async () => {
    const { greedy } = take(24)
    expect(await greedy('one', 'long')).toBe(8)
    expect(await greedy('one', 'short')).toBe(4)
  })

  it('limit long work as if there were fewer slots, where a limit for long work is set', async () => {
    const { greedy } = take(128, 24)
    expect(await greedy('one', 'long')).toBe(8)
    expect(await greedy('one', 'short')).toBe(56)
    expect(await greedy('other', 'long')).toBe(6)
    expect(await greedy('other', 'short')).toBe(26)
  })

  it('are left for the next host, however many slots one host requests', async () => {
    const { greedy } = take(24)
    await greedy('hung', 'short')
    expect(await greedy('honest', 'long')).toBe(4)
    expect(await greedy('honest', 'short')).toBe(2)
    expect(await greedy('third', 'short')).toBe(3)
  })

  it('are free again when the work ends or fails', async () => {
    const slots = createHostSlots(2)
    expect(await slots.run('one', 'long', () => slots.run('one', 'short', never))).toBe('turn')
    await expect(slots.run('one', 'long', () => Promise.reject(new Error('cut')))).rejects.toThrow('cut')
    expect(slots.taken).toBe(0)
    expect(await slots.run('one', 'long', () => Promise.resolve(1))).toBe(1)
  })

  it('are requested at growing intervals', () => {
    expect([0, 1, 2, 10, 1000].map((turns) => turnMs(turns, 5000))).toEqual([250, 500, 1000, 5000, 5000])
  })
})

/** Starts wipes of free devices, as when an operator releases them from quarantine. */
async function wipe(plane: Plane, devices: readonly DoubleDevice[]): Promise<void> {
  const { core } = plane.app
  const serial = { in: devices.map((device) => device.serial) }
  await core.db.device.updateMany({ where: { serial }, data: { state: 'quarantined' } })
  for (const device of devices) await releaseHeldDevice(core, device.serial, false)
}

const until = (plane: Plane, tenant: Tenant, id: string, status: string): Promise<void> =>
  eventually(async () => (await plane.app.services.phones.get(tenant.caller, id)).status === status)

describe('a host that answers no wipe', () => {
  let plane: Plane
  let hung: AgentDouble
  let honest: AgentDouble
  let tenant: Tenant
  let underWay = 0
  let most = 0
  let answerAll = (): void => undefined

  beforeAll(async () => {
    plane = await world.start()
    hung = await plane.rack(30, { country: 'DE' })
    honest = await plane.rack(4, { country: 'US' })
    tenant = await plane.tenant()
  })

  it('leaves wipes, starts and parks of another host their slots', async () => {
    const { phones } = plane.app.services
    const ids = await Promise.all([1, 2, 3].map(() => readyPhone(plane, tenant, { country: 'US' })))
    const answered = new Promise<void>((resolve) => (answerAll = resolve))
    const devices = [...hung.devices.values()]
    for (const device of devices)
      device.onWipe = async () => {
        underWay += 1
        most = Math.max(most, underWay)
        await answered
        underWay -= 1
      }
    await wipe(plane, devices.slice(1))
    await eventually(() => underWay >= 8)
    // The other jobs check for a free slot several times in the meantime.
    await new Promise((resolve) => setTimeout(resolve, 1500))
    expect(underWay).toBe(8)

    await Promise.all([
      ...ids.map(async (id) => {
        await phones.park(tenant.caller, id)
        await until(plane, tenant, id, 'parked')
        await phones.start(tenant.caller, id, { idleTimeout: null, maxDuration: null })
        await until(plane, tenant, id, 'ready')
        await phones.delete(tenant.caller, id)
      }),
      readyPhone(plane, tenant, { country: 'US' }),
    ])
    await eventually(
      async () =>
        (await plane.app.core.db.device.count({ where: { state: 'free', hostId: honest.hostId } })) === 3,
    )
    expect(underWay).toBe(8)
  })

  it('leaves slots to starts and parks of the same host', async () => {
    const id = await readyPhone(plane, tenant, { country: 'DE' })
    await plane.app.services.phones.park(tenant.caller, id)
    await until(plane, tenant, id, 'parked')
    expect(underWay).toBe(8)
  })

  it('performs each wipe once when it answers again, and no attempt is counted for the wait', async () => {
    const waiting = () => plane.app.core.db.$queryRaw<{ payload: Record<string, number> }[]>`
      select j.payload from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id
      where t.identifier = 'device.wipe' and j.locked_at is null`
    let jobs: Awaited<ReturnType<typeof waiting>> = []
    // A job is locked for a moment while it requests a slot.
    await eventually(async () => (jobs = await waiting()).length === 29 - 8)
    for (const { payload } of jobs) expect(payload).toMatchObject({ attempt: 1, refused: 0 })
    answerAll()
    await eventually(
      async () =>
        (await plane.app.core.db.device.count({ where: { state: 'free', hostId: hung.hostId } })) === 29,
    )
    expect(hung.log.filter((line) => line.startsWith('wipe'))).toHaveLength(29)
    expect(most).toBe(8)
  })
})

describe('while a host has no slot left', () => {
  const full = (plane: Plane) => ({
    core: plane.app.core,
    hosts: plane.app.hosts,
    stopping: new AbortController().signal,
    slots: createHostSlots(0),
  })

  it('a start is postponed as the same attempt, and a park ends without its call after 20 seconds', async () => {
    const plane = await world.start()
    const agent = await plane.rack(1)
    const tenant = await plane.tenant()
    const { phones } = plane.app.services
    const id = await readyPhone(plane, tenant, { country: null })
    await plane.app.quiesce()
    const { db, clock } = plane.app.core
    const waiting = async () => {
      const rows = await db.$queryRaw<{ payload: { turns?: number; attempt?: number; fencing: string } }[]>`
        select payload from graphile_worker._private_jobs where payload->>'phoneId' = ${id}
        and task_id in (select id from graphile_worker._private_tasks where identifier in ('phone.start', 'phone.park'))`
      expect(rows).toHaveLength(1)
      return rows[0]?.payload
    }
    const status = async () => (await phones.get(tenant.caller, id)).status
    // The time is fixed, so that one run does not repeat a job that it has postponed.
    const later = (ms: number) => {
      const at = new Date(clock.now().getTime() + ms)
      return () => at
    }
    const parks = {
      'phone.park': (job: unknown) => parkPhoneJob(full(plane), jobPayloads['phone.park'].parse(job)),
    }
    const starts = (slots: HostSlots) => ({
      'phone.start': (job: unknown) =>
        startPhoneJob({ ...full(plane), slots }, jobPayloads['phone.start'].parse(job)),
    })
    agent.log.length = 0
    await phones.park(tenant.caller, id)
    await runDueJobs(db, parks, later(0))
    expect(await status()).toBe('parking')
    expect(await waiting()).toMatchObject({ turns: 1 })
    await runDueJobs(db, parks, later(60_000))
    expect(await status()).toBe('parked')
    expect(agent.log).toEqual([])

    await phones.start(tenant.caller, id, { idleTimeout: null, maxDuration: null })
    await runDueJobs(db, starts(createHostSlots(0)), later(0))
    expect(await waiting()).toMatchObject({ attempt: 1, turns: 1 })
    await runDueJobs(db, starts(createHostSlots(2)), later(5000))
    expect(await status()).toBe('ready')
  })
})
