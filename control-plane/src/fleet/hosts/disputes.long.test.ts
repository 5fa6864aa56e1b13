/**
 * Agents that contradict the database repeatedly: the device is quarantined, and nothing repeats forever.
 * Runs with real Postgres and broker, and agent doubles.
 */
import { ApiError } from '@phonerack/shared'
import { reconcile } from '../jobs/reconcile.js'
import { type DoubleDevice } from '../../testing/agent-double.js'
import { duringLock } from '../../testing/lock-waits.js'
import { loneDevice, usedBy, wipedSince, type LoneDevice } from '../../testing/lone-device.js'
import { brokenInvariants } from '../../testing/money.js'
import { eventually, useWorld, type Plane, type Tenant } from '../../testing/world.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const world = useWorld()
let plane: Plane
let tenant: Tenant
let lone: LoneDevice

beforeAll(async () => {
  plane = await world.start()
  tenant = await plane.tenant()
  lone = loneDevice(plane, tenant)
})
afterAll(async () => {
  expect(await brokenInvariants(plane.app.core.db)).toEqual([])
})

const db = () => plane.app.core.db
const phones = () => plane.app.services.phones
const refusal = (reason: string, current: bigint) =>
  new ApiError('phone_unavailable', { details: { reason, current_fencing_number: current.toString() } })

/** Simulates an agent whose number is always one ahead. Returns the number of the agent's calls. */
function refuseStarts(device: DoubleDevice, reason: string, ahead: bigint): () => number {
  let asked = 0
  device.onStart = () => {
    asked += 1
    return Promise.reject(refusal(reason, device.fencing + ahead))
  }
  return () => asked
}

describe('an agent that refuses each start under a higher number', () => {
  it('loses its device, and the phone that ran before is unavailable', () =>
    lone.alone(async (_agent, device) => {
      const id = await lone.parked()
      const asked = refuseStarts(device, 'old_number', 1n)
      await lone.start(id)
      expect((await lone.until(id, 'unavailable')).status).toBe('unavailable')
      expect(await lone.rowOf(device)).toMatchObject({ state: 'quarantined', phoneId: id })
      expect((await lone.rowOf(device)).reason).toContain('disagreed with the database')
      expect(asked()).toBe(6)
      await phones().delete(tenant.caller, id)
    }))

  it('loses its device, and a new phone gets another one', () =>
    lone.alone(async (_agent, device) => {
      let asked = 0
      let refuse = () => {}
      const isThereAnother = new Promise<void>((resolve) => (refuse = resolve))
      device.onStart = async () => {
        asked += 1
        await isThereAnother
        throw refusal('old_number', device.fencing + 1n)
      }
      const { phone } = await lone.create()
      await lone.alone(async (_other, second) => {
        refuse()
        expect((await lone.until(phone.id, 'ready')).status).toBe('ready')
        expect(await lone.rowOf(second)).toMatchObject({ phoneId: phone.id })
        expect(await lone.rowOf(device)).toMatchObject({ state: 'quarantined', phoneId: null })
        expect(asked).toBeLessThanOrEqual(6)
        await phones().delete(tenant.caller, phone.id)
        await eventually(() => lone.isFree(second))
      })
    }))

  it('loses its device, and a new phone fails when there is no other', () =>
    lone.alone(async (_agent, device) => {
      refuseStarts(device, 'not_wiped', 0n)
      const { phone } = await lone.create()
      expect((await lone.until(phone.id, 'failed')).status).toBe('failed')
      expect(await lone.rowOf(device)).toMatchObject({ state: 'quarantined', phoneId: null })
    }))
})

describe('an agent that refuses a number because of a lower one', () => {
  it.each(['old_number', 'number_taken'])('with %s loses its device immediately', (reason) =>
    lone.alone(async (_agent, device) => {
      const id = await lone.parked()
      const asked = refuseStarts(device, reason, -1n)
      await lone.start(id)
      expect((await lone.until(id, 'unavailable')).status).toBe('unavailable')
      expect(asked()).toBe(1)
      const row = await lone.rowOf(device)
      expect(row).toMatchObject({ state: 'quarantined', phoneId: id })
      expect(row.reason).toContain('contradicts itself')
      await phones().delete(tenant.caller, id)
    }),
  )

  it('loses the device that is being wiped immediately', () =>
    lone.alone(async (_agent, device) => {
      let asked = 0
      device.onWipe = () => {
        asked += 1
        return Promise.reject(refusal('old_number', device.fencing - 1n))
      }
      await phones().delete(tenant.caller, await lone.parked())
      await lone.untilState(device, 'quarantined')
      expect(asked).toBe(1)
      expect((await lone.rowOf(device)).reason).toContain('contradicts itself')
    }))
})

describe('an agent that reports ever higher numbers', () => {
  /** Each heartbeat reports a number that is two ahead of the row's. */
  async function disagree(device: DoubleDevice, change: () => void): Promise<number> {
    for (let count = 0; count < 30; count += 1) {
      const before = await lone.rowOf(device)
      if (before.state === 'quarantined') return count
      device.fencing = before.fencingNumber + 1n
      change()
      device.revision = Math.max(device.revision + 1, Date.now())
      await eventually(async () => {
        const row = await lone.rowOf(device)
        return row.state === 'quarantined' || row.fencingNumber > before.fencingNumber
      })
    }
    throw new Error('it goes on for ever')
  }

  it('loses a clean device', () =>
    lone.alone(async (_agent, device) => {
      expect(await disagree(device, () => {})).toBe(6)
      expect((await lone.rowOf(device)).reason).toContain('disagreed with the database')
    }))

  it('loses a used device, although the agent wipes the device each time', () =>
    lone.alone(async (agent, device) => {
      await disagree(device, () => usedBy(device, 'ph_unknownaaaaa'))
      expect(agent.log.filter((line) => line.startsWith('wipe')).length).toBeLessThanOrEqual(6)
    }))

  it('loses a device that is being wiped', () =>
    lone.alone(async (_agent, device) => {
      device.onWipe = () => new Promise(() => {})
      await phones().delete(tenant.caller, await lone.parked())
      await lone.untilState(device, 'wiping')
      expect(await disagree(device, () => {})).toBeLessThanOrEqual(6)
      delete device.onWipe
    }))

  it('changes nothing further for a quarantined device', () =>
    lone.alone(async (agent, device) => {
      await disagree(device, () => {})
      const { fencingNumber } = await lone.rowOf(device)
      const { lastSeenAt } = await db().host.findUniqueOrThrow({ where: { id: agent.hostId } })
      device.fencing = fencingNumber + 10n
      device.revision += 1
      agent.beat()
      await eventually(async () => {
        const host = await db().host.findUniqueOrThrow({ where: { id: agent.hostId } })
        return (host.lastSeenAt ?? 0) > (lastSeenAt ?? 0)
      })
      expect((await lone.rowOf(device)).fencingNumber).toBe(fencingNumber)
    }))

  it('gets its device back from the operator, with a new count', () =>
    lone.alone(async (_agent, device) => {
      await disagree(device, () => {})
      device.fencing += 3n
      expect((await lone.operate(`${device.serial}/release`, {})).statusCode).toBe(202)
      await eventually(() => lone.isFree(device))
      expect(await disagree(device, () => {})).toBeGreaterThan(2)
    }))

  it('is not charged with disputes of more than a day ago', () =>
    lone.alone(async (_agent, device) => {
      const { id } = await lone.rowOf(device)
      await db().$executeRaw`update devices set disputes = 5, disputed_since = now() - interval '25 hours'
        where id = ${id}`
      wipedSince(device)
      const { fencing } = device
      await eventually(async () => (await lone.rowOf(device)).fencingNumber === fencing)
      expect(await lone.rowOf(device)).toMatchObject({ state: 'free', disputes: 1 })
    }))
})

describe('a lost job of a device', () => {
  /** Deletes the wipe's job, so that nothing performs the wipe. */
  const lose = async (device: DoubleDevice): Promise<void> => {
    const { id } = await lone.rowOf(device)
    // The row of the enrolment's job may exist for a moment after the job has run. A job deleted then would
    // not be the wipe's.
    await eventually(async () => {
      const [row] = await db().$queryRaw<{ exists: boolean }[]>`select exists (select 1
        from graphile_worker.jobs where key like ${`device.%:${id}:%`} and attempts < max_attempts)`
      return row?.exists === false
    })
    await db().device.update({ where: { id }, data: { state: 'wiping' } })
  }

  it('is added again, and counts', () =>
    lone.alone(async (agent, device) => {
      await lose(device)
      await reconcile(plane.app.core)
      await eventually(() => lone.isFree(device))
      expect(agent.log).toHaveLength(1)
      expect(await lone.rowOf(device)).toMatchObject({ disputes: 1 })
    }))

  it('is added and counted once, even if several replicas find it', () =>
    lone.alone(async (agent, device) => {
      await lose(device)
      const { id } = await lone.rowOf(device)
      // Other statements of the device's heartbeats may also wait for its row.
      await duringLock(plane, { table: 'devices', id, like: 'select%disputes%' }, () =>
        Array.from({ length: 4 }, () => reconcile(plane.app.core)),
      )
      await eventually(() => lone.isFree(device))
      expect(agent.log).toHaveLength(1)
      expect(await lone.rowOf(device)).toMatchObject({ disputes: 1 })
    }))

  it('is not added again after several failures', () =>
    lone.alone(async (agent, device) => {
      const { id } = await lone.rowOf(device)
      await db().$executeRaw`update devices set disputes = 5, disputed_since = now() where id = ${id}`
      await lose(device)
      await reconcile(plane.app.core)
      expect(await lone.rowOf(device)).toMatchObject({ state: 'quarantined' })
      expect(agent.log).toEqual([])
    }))

  it('is not tried again after its last attempt', () =>
    lone.alone(async (agent, device) => {
      const { id, fencingNumber } = await lone.rowOf(device)
      const key = `device.wipe:${id}:${fencingNumber}`
      await db()
        .$queryRaw`select 1 as added from graphile_worker.add_job('device.wipe', payload := '{}'::json,
        run_at := now() + interval '1 hour', max_attempts := 25, job_key := ${key}::text)`
      await db().$executeRaw`update graphile_worker._private_jobs set attempts = 25 where key = ${key}`
      await lose(device)
      await reconcile(plane.app.core)
      const row = await lone.rowOf(device)
      expect(row.state).toBe('quarantined')
      expect(row.reason).toContain('25 times')
      expect(agent.log).toEqual([])
    }))
})

it('a device with a single dispute continues', () =>
  lone.alone(async (_agent, device) => {
    const id = await lone.parked()
    usedBy(device, id, 20n)
    await lone.start(id)
    expect((await lone.until(id, 'ready')).status).toBe('ready')
    expect(await lone.rowOf(device)).toMatchObject({ state: 'assigned', disputes: 1 })
    await phones().delete(tenant.caller, id)
    await eventually(() => lone.isFree(device))
  }))
