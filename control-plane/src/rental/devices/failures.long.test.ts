// Devices that fail together, and placement by the health of hosts. Runs with real Postgres, jobs, broker and
// gRPC; the agents are doubles.
import { ApiError } from '@phonerack/shared'
import { beforeAll, describe, expect, it } from 'vitest'
import { inTransaction } from '../../base/db/database.js'
import { settleRefusal } from '../../fleet/hosts/settle-device.js'
import { createBody, eventually, refusalOf, useWorld, type Plane, type Tenant } from '../../testing/world.js'
import { type AgentDouble, type DoubleDevice } from '../../testing/agent-double.js'
import { noteFailure } from './failures.js'

const world = useWorld()
const signal = new AbortController().signal

let plane: Plane
beforeAll(async () => {
  plane = await world.start({ pace: 0.05 })
})

/** The tenant and the hosts of one test, which no other test sees. */
class Service {
  private readonly racks: AgentDouble[] = []

  private constructor(readonly tenant: Tenant) {}

  static async run(work: (on: Service) => Promise<void>): Promise<void> {
    const service = new Service(await plane.tenant())
    try {
      await work(service)
    } finally {
      for (const rack of service.racks) await rack.stop()
      await plane.app.core.db.host.updateMany({ data: { retiredAt: new Date() } })
    }
  }

  get core() {
    return plane.app.core
  }

  get phones() {
    return plane.app.services.phones
  }

  async rack(count: number): Promise<AgentDouble> {
    const rack = await plane.rack(count)
    this.racks.push(rack)
    return rack
  }

  async create(): Promise<string> {
    return (await this.phones.create(this.tenant.caller, createBody(), null)).phone.id
  }

  until(id: string, status: string) {
    return this.phones.wait(id, (phone) => phone.status === status, 60_000, signal)
  }

  devicesOf(agent: AgentDouble) {
    return this.core.db.device.findMany({ where: { hostId: agent.hostId }, orderBy: { id: 'asc' } })
  }

  async states(agent: AgentDouble): Promise<string[]> {
    return (await this.devicesOf(agent)).map(({ state }) => state).toSorted()
  }

  hostRow(agent: AgentDouble) {
    return this.core.db.host.findUniqueOrThrow({ where: { id: agent.hostId } })
  }

  async viewOf(agent: AgentDouble): Promise<Record<string, unknown>> {
    const answer = await plane.operator.inject({
      url: '/operator/v1/hosts',
      headers: { authorization: `Bearer ${plane.operatorToken}` },
    })
    const { data } = answer.json<{ data: Record<string, unknown>[] }>()
    return data.find(({ id }) => id === agent.hostId) ?? {}
  }

  async isDegraded(agent: AgentDouble): Promise<boolean> {
    return (await this.viewOf(agent))['state'] === 'degraded'
  }

  /** Moves the failed starts of a host into the past. */
  age(agent: AgentDouble, seconds: number): Promise<number> {
    return this.core.db.$executeRaw`update devices
      set start_failed_at = start_failed_at - make_interval(secs => ${seconds}) where host_id = ${agent.hostId}`
  }

  /** Reports the link as lost for 31 seconds. */
  async loseLink(device: DoubleDevice, agent: AgentDouble): Promise<void> {
    const { db } = this.core
    const where = { hostId_serial: { hostId: agent.hostId, serial: device.serial } }
    device.link = 'offline'
    agent.beat()
    await eventually(async () => (await db.device.findUniqueOrThrow({ where })).linkLostAt !== null)
    await db.device.update({ where, data: { linkLostAt: new Date(Date.now() - 31_000) } })
  }
}

const broken = () => Promise.reject(new ApiError('provider_error', { message: 'It does not wake up.' }))
/** Fails a start with an error after which a retry may help. */
const failing = () => Promise.reject(new ApiError('phone_unavailable', { message: 'The screen is black.' }))
const started = (agent: AgentDouble) => agent.log.filter((line) => line.startsWith('start')).length

function startsWith(agent: AgentDouble, onStart: DoubleDevice['onStart']): void {
  for (const device of agent.devices.values())
    if (onStart) device.onStart = onStart
    else delete device.onStart
}

describe('a host whose devices fail', () => {
  it('quarantines no device when starts fail on several of a host, moves the phone, and places nothing there', () =>
    Service.run(async (on) => {
      const rack = await on.rack(3)
      for (const device of rack.devices.values()) device.onStart = broken
      const phone = await on.create()
      await eventually(async () => (await on.viewOf(rack))['state'] === 'degraded')
      const other = await on.rack(1)
      await on.until(phone, 'ready')
      expect(started(other)).toBe(1)
      expect(await on.viewOf(rack)).toMatchObject({ degraded_until: expect.any(String) as string })
      expect(String((await on.viewOf(rack))['degraded'])).toMatch(
        /^2 of its 3 devices failed within 5 minutes.*Check its USB hub/,
      )
      await eventually(async () => (await on.states(rack)).every((state) => state === 'free'))
      expect(await refusalOf(on.create())).toBe('capacity_unavailable')

      // 90 seconds pass.
      startsWith(rack, undefined)
      await on.age(rack, 91)
      await eventually(async () => !(await on.isDegraded(rack)))
      expect(await on.viewOf(rack)).toMatchObject({ state: 'online', degraded: null, degraded_until: null })
      await on.until(await on.create(), 'ready')
    }))

  it('is degraded when creates use up their tries on several devices, quarantines none of these devices, and moves the phone', () =>
    Service.run(async (on) => {
      const rack = await on.rack(4)
      startsWith(rack, failing)
      const phone = await on.create()
      await eventually(() => on.isDegraded(rack))
      const view = await on.viewOf(rack)
      expect(String(view['degraded'])).toMatch(
        /^2 of its 4 devices failed.*90 seconds after the last failed start/,
      )
      expect(Date.parse(String(view['degraded_until'])) - Date.now()).toBeLessThanOrEqual(90_000)
      expect(await refusalOf(on.create())).toBe('capacity_unavailable')
      await on.rack(1)
      await on.until(phone, 'ready')
      await eventually(async () => (await on.states(rack)).every((state) => state === 'free'))
      expect((await on.devicesOf(rack)).map(({ failedStarts }) => failedStarts)).toEqual([0, 0, 0, 0])
    }))

  it('takes creates again 90 s after the newest failed start, and is degraded again by the next failed start', () =>
    Service.run(async (on) => {
      const rack = await on.rack(4)
      startsWith(rack, failing)
      const first = await on.create()
      await eventually(() => on.isDegraded(rack))
      const other = await on.rack(1)
      await on.until(first, 'ready')
      await eventually(async () => (await on.states(rack)).every((state) => state === 'free'))
      await on.age(rack, 91)
      await eventually(async () => !(await on.isDegraded(rack)))

      const probe = await on.create()
      await eventually(() => on.isDegraded(rack))
      expect(await on.states(rack)).not.toContain('quarantined')
      // The other host is full, so the probe stays on this host, and its success ends the mark.
      expect(started(other)).toBe(1)
      startsWith(rack, undefined)
      await on.until(probe, 'ready')

      // Moves the failures of the window into the past.
      await on.age(rack, 300)
      await eventually(async () => (await on.hostRow(rack)).failingDevices === 0)
      expect(await on.isDegraded(rack)).toBe(false)
    }))

  it('is no longer degraded when starts succeed on enough devices, before the 90 s', () =>
    Service.run(async (on) => {
      const rack = await on.rack(2)
      startsWith(rack, failing)
      const phone = await on.create()
      await eventually(() => on.isDegraded(rack))
      startsWith(rack, undefined)
      await on.until(phone, 'ready')
      await eventually(async () => (await on.hostRow(rack)).degradedUntil === null)
      await on.until(await on.create(), 'ready')
      await eventually(async () => (await on.hostRow(rack)).failingDevices === 0)
    }))

  it('does not count tries that did not reach the agent as failures of the device', () =>
    Service.run(async (on) => {
      const rack = await on.rack(2)
      let tries = 0
      startsWith(rack, () => {
        tries += 1
        // The agent does not answer the first two tries.
        if (tries < 3) return Promise.reject(new Error('The connection was lost.'))
        return tries === 3 ? failing() : Promise.resolve()
      })
      await on.until(await on.create(), 'ready')
      expect(tries).toBe(4)
      expect((await on.devicesOf(rack)).map(({ startFailedAt }) => startFailedAt)).toEqual([null, null])
    }))

  it('quarantines a single device that fails', () =>
    Service.run(async (on) => {
      const rack = await on.rack(3)
      const first = [...rack.devices.values()][0]
      const serials: string[] = []
      for (const device of rack.devices.values())
        device.onStart = () => {
          serials.push(device.serial)
          return serials.length === 1 ? broken() : Promise.resolve()
        }
      expect(first).toBeDefined()
      await on.until(await on.create(), 'ready')
      expect(await on.states(rack)).toEqual(['assigned', 'free', 'quarantined'])
      expect((await on.hostRow(rack)).degradedUntil).toBeNull()
    }))

  it('marks a host that lost several links, and not a host that lost one', () =>
    Service.run(async (on) => {
      const rack = await on.rack(3)
      const [one, two] = [...rack.devices.values()]
      if (!one || !two) throw new Error('the rack has too few devices')
      await on.loseLink(one, rack)
      await eventually(async () => (await on.hostRow(rack)).failingDevices === 1)
      expect((await on.hostRow(rack)).degradedUntil).toBeNull()

      // Placement prefers a healthy host, even if the project has phones there.
      const healthy = await on.rack(2)
      for (const phone of [await on.create(), await on.create()]) await on.until(phone, 'ready')
      expect(started(healthy)).toBe(2)

      await on.loseLink(two, rack)
      await eventually(async () => (await on.hostRow(rack)).degradedUntil !== null)
      expect(await on.viewOf(rack)).toMatchObject({ state: 'degraded' })
      expect(await refusalOf(on.create())).toBe('capacity_unavailable')
      expect(await on.states(rack)).toEqual(['free', 'offline', 'offline'])
    }))

  it('counts the lost links of an owner once, and no link of a deleted phone', () =>
    Service.run(async (on) => {
      const rack = await on.rack(4)
      const ids = [await on.create(), await on.create(), await on.create()]
      for (const id of ids) await on.until(id, 'ready')
      const held = [...rack.devices.values()].filter(({ assignment }) => assignment !== null)
      for (const device of held) {
        await on.loseLink(device, rack)
        device.onWipe = () => Promise.reject(new ApiError('phone_unavailable'))
      }
      await on.phones.delete(on.tenant.caller, ids[0] ?? '')
      await eventually(async () => (await on.hostRow(rack)).failingDevices === 2)
      expect((await on.hostRow(rack)).degradedUntil).toBeNull()

      const free = [...rack.devices.values()].find((device) => !held.includes(device))
      if (free) await on.loseLink(free, rack)
      await eventually(async () => (await on.hostRow(rack)).degradedUntil !== null)
    }))

  it('leaves quarantines for other reasons to the operator when the host is degraded', () =>
    Service.run(async (on) => {
      const { core } = on
      const rack = await on.rack(4)
      const [one, two, three] = await on.devicesOf(rack)
      if (!one || !two || !three) throw new Error('the rack has too few devices')
      const fail = (id: string) =>
        inTransaction(core.db, async (tx) =>
          noteFailure(
            tx,
            await tx.device.findUniqueOrThrow({ where: { id } }),
            'care',
            core.clock.now(),
            core.rules.degraded,
          ),
        )
      await fail(one.id)
      const refusal = { reason: 'old_number', current_fencing_number: '0' } as const
      expect(await settleRefusal(core, one.id, one.fencingNumber, refusal)).toBe(true)
      // This failure arrives while the quarantine is committed.
      await fail(one.id)
      await fail(two.id)
      await fail(three.id)
      await core.db.device.update({ where: { id: two.id }, data: { state: 'quarantined', reason: 'failed' } })
      await eventually(async () => (await on.hostRow(rack)).degradedUntil !== null)
      await eventually(
        async () => (await on.states(rack)).filter((state) => state === 'quarantined').length === 1,
      )
      expect((await on.devicesOf(rack)).find(({ id }) => id === one.id)?.state).toBe('quarantined')
    }))

  it('repeats wipes that an agent refuses on several devices, instead of quarantining them', () =>
    Service.run(async (on) => {
      const rack = await on.rack(2)
      const ids = [await on.create(), await on.create()]
      for (const id of ids) await on.until(id, 'ready')
      for (const device of rack.devices.values()) device.onWipe = broken
      for (const id of ids) await on.phones.delete(on.tenant.caller, id)
      await eventually(async () =>
        (await on.devicesOf(rack)).some(({ reason }) => reason?.includes('failed together') === true),
      )
      await eventually(async () => (await on.hostRow(rack)).degradedUntil !== null)
      await eventually(async () => (await on.states(rack)).every((state) => state === 'wiping'))
    }))

  it('spreads the phones of a project over healthy hosts', () =>
    Service.run(async (on) => {
      const racks = [await on.rack(2), await on.rack(2)]
      for (const phone of [await on.create(), await on.create()]) await on.until(phone, 'ready')
      expect(racks.map(started)).toEqual([1, 1])
    }))
})
