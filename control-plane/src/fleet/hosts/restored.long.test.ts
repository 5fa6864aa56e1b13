/**
 * Agents that know more than the database, as after a restore. Runs with real Postgres and broker, and agent
 * doubles. The database is unchanged; the doubles report what agents would report to an older database.
 */
import { ApiError } from '@phonerack/shared'
import { inTransaction } from '../../base/db/database.js'
import { readEpoch } from '../../base/db/epoch.js'
import { type DoubleDevice } from '../../testing/agent-double.js'
import { loneDevice, usedBy, wipedSince, type LoneDevice } from '../../testing/lone-device.js'
import { brokenInvariants } from '../../testing/money.js'
import { eventually, refusalOf, useWorld, type Plane, type Tenant } from '../../testing/world.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const world = useWorld()
let plane: Plane
let tenant: Tenant
let lone: LoneDevice

beforeAll(async () => {
  plane = await world.start({ pace: 0.05 })
  tenant = await plane.tenant()
  lone = loneDevice(plane, tenant)
})
afterAll(async () => {
  expect(await brokenInvariants(plane.app.core.db)).toEqual([])
})

const db = () => plane.app.core.db
const phones = () => plane.app.services.phones

describe('a free device', () => {
  it('with the record of an older agent is wiped first', () =>
    lone.alone(async (agent, device) => {
      usedBy(device, null)
      agent.beat()
      await eventually(() => agent.log.length > 0)
      await eventually(() => lone.isFree(device))
    }))

  it('is not wiped for a report from before its wipe', () =>
    lone.alone(async (agent, device) => {
      const now = { ...device }
      usedBy(device, 'ph_unknownaaaaa')
      device.revision = now.revision - 1
      const { lastSeenAt } = await db().host.findUniqueOrThrow({ where: { id: agent.hostId } })
      agent.beat()
      await eventually(async () => {
        const host = await db().host.findUniqueOrThrow({ where: { id: agent.hostId } })
        return (host.lastSeenAt ?? 0) > (lastSeenAt ?? 0)
      })
      expect(agent.log).toEqual([])
      expect(await lone.isFree(device)).toBe(true)
      Object.assign(device, now)
    }))

  it('is not touched when another host has a device with the same serial', () =>
    lone.alone(async (agent, device) => {
      const other = await plane.agent('other rack', { beatMs: 200 })
      const double = other.addDevice(device.serial)
      double.link = 'healthy'
      usedBy(double, 'ph_unknownaaaaa', 500n)
      other.beat()
      await eventually(async () => (await db().device.count({ where: { hostId: other.hostId } })) === 1)
      const own = await db().device.findFirstOrThrow({ where: { hostId: agent.hostId } })
      expect(own).toMatchObject({ state: 'free', fencingNumber: device.fencing })
      await other.stop()
      await db().device.deleteMany({ where: { hostId: other.hostId } })
    }))

  it('is not assigned when its agent keeps no record', () =>
    lone.alone(async (agent, device) => {
      agent.reportsCustody = false
      usedBy(device, null)
      await lone.renewEpoch()
      await eventually(async () => agent.epoch === (await readEpoch(db())))
      agent.beat()
      expect(await refusalOf(lone.create())).toBe('capacity_unavailable')
      expect(agent.log).toEqual([])
    }))
})

describe('a wipe that its host always refuses', () => {
  it.each(['old_number', 'not_wiped'])('with %s is given up after three attempts', (reason) =>
    lone.alone(async (_agent, device) => {
      let tries = 0
      device.onWipe = () => {
        tries += 1
        const details = { reason, current_fencing_number: device.fencing.toString() }
        return Promise.reject(new ApiError('phone_unavailable', { details }))
      }
      await phones().delete(tenant.caller, await lone.parked())
      await eventually(async () => (await lone.rowOf(device)).state === 'quarantined')
      expect(tries).toBe(3)
    }),
  )
})

it('a wipe that waited for its host is not given up after one refusal', () =>
  lone.alone(async (_agent, device) => {
    let tries = 0
    device.onWipe = () => {
      tries += 1
      if (tries <= 3) return Promise.reject(new ApiError('phone_unavailable'))
      if (tries > 4) return Promise.resolve()
      const details = { reason: 'old_number', current_fencing_number: device.fencing.toString() }
      return Promise.reject(new ApiError('phone_unavailable', { details }))
    }
    await phones().delete(tenant.caller, await lone.parked())
    await eventually(() => lone.isFree(device))
    expect(tries).toBe(5)
  }))

describe('a device that its host has forgotten', () => {
  const forget = (device: DoubleDevice): void => {
    Object.assign(device, { link: 'unenrolled', fencing: 0n, assignment: null, dirty: true, cleanFor: '' })
    device.revision += 1
  }
  const enrol = (device: DoubleDevice) => lone.operate(`${device.serial}/enroll`, { erase: true })

  it('is not enrolled while it holds a phone', () =>
    lone.alone(async (agent, device) => {
      const id = await lone.parked()
      forget(device)
      agent.beat()
      await eventually(async () => (await lone.rowOf(device)).state === 'quarantined')
      expect((await enrol(device)).statusCode).toBe(400)
      await phones().delete(tenant.caller, id)
      await eventually(async () => (await lone.rowOf(device)).phoneId === null)
      expect((await enrol(device)).statusCode).toBe(202)
      await eventually(() => lone.isFree(device))
    }))

  it('can be enrolled when the database is older than its enrolment', () =>
    lone.alone(async (agent, device) => {
      const { id } = await lone.rowOf(device)
      await db().device.delete({ where: { id } })
      agent.beat()
      await eventually(async () => (await db().device.count({ where: { serial: device.serial } })) === 1)
      expect((await lone.rowOf(device)).state).toBe('unenrolled')
      expect((await enrol(device)).statusCode).toBe(202)
      await eventually(() => lone.isFree(device))
    }))
})

describe('after the database changed', () => {
  it('the epoch contains cluster and timeline where they can be read', async () => {
    const [own, cluster, timeline] = (await readEpoch(db())).split('.')
    expect(own).toMatch(/^[0-9a-f]{32}$/)
    expect(cluster).toMatch(/^\d{10,}$/)
    expect(timeline).toBe('00000001')
    const rollback = new Error('undone')
    const undone = inTransaction(db(), async (tx) => {
      await tx.$executeRawUnsafe('create role phonerack_nobody')
      await tx.$executeRawUnsafe(
        'revoke execute on function pg_control_system(), pg_control_checkpoint(), pg_walfile_name(pg_lsn) from public',
      )
      await tx.$executeRawUnsafe('grant select on database_epoch to phonerack_nobody')
      await tx.$executeRawUnsafe('set local role phonerack_nobody')
      expect(await readEpoch(tx)).toBe(`${own}.-.-`)
      throw rollback
    })
    await expect(undone).rejects.toBe(rollback)
  })
})

describe('a phone', () => {
  it('becomes unavailable when its agent is ahead, and can be started', () =>
    lone.alone(async (agent, device) => {
      const id = await lone.ready()
      usedBy(device, id, 3n)
      agent.beat()
      expect((await lone.until(id, 'unavailable')).failure?.message).toContain('restored')
      await lone.start(id)
      await lone.until(id, 'ready')
      await phones().delete(tenant.caller, id)
    }))

  it('fails when its device was wiped in between', () =>
    lone.alone(async (agent, device) => {
      const id = await lone.parked()
      wipedSince(device, 5n)
      agent.beat()
      expect((await lone.until(id, 'failed')).failure?.message).toContain('was wiped')
      await eventually(() => lone.isFree(device))
    }))

  it('is not parked as if it had its data when it ran during the dump and its device was wiped in between', () =>
    lone.alone(async (agent, device) => {
      const id = await lone.ready()
      agent.pause()
      wipedSince(device)
      await phones().park(tenant.caller, id)
      expect((await lone.until(id, 'failed')).failure?.message).toContain('was wiped')
      await eventually(() => lone.isFree(device))
    }))

  it('is quarantined with its device when an unknown phone used the device', () =>
    lone.alone(async (agent, device) => {
      const id = await lone.parked()
      usedBy(device, null)
      agent.beat()
      await eventually(async () => (await lone.rowOf(device)).state === 'quarantined')
      expect(await lone.rowOf(device)).toMatchObject({ phoneId: id })
      expect((await lone.rowOf(device)).reason).toContain('no record that this phone used the device')
      expect(agent.log.some((line) => line.startsWith('wipe'))).toBe(false)
      await phones().delete(tenant.caller, id)
    }))

  it('gets a used device wiped first when it is new and there is no other', () =>
    lone.alone(async (agent, device) => {
      // The agent's next report comes after the create.
      agent.pause()
      usedBy(device, 'ph_unknownaaaaa')
      const { phone } = await lone.create()
      expect((await lone.until(phone.id, 'ready')).status).toBe('ready')
      const { fencing } = device
      expect(agent.log).toEqual([`wipe ${phone.id} ${fencing}`, `start ${phone.id} ${fencing}`])
      agent.resume()
      await phones().delete(tenant.caller, phone.id)
      await eventually(() => lone.isFree(device))
    }))

  it('has its device wiped under a higher number when it is deleted while its agent is ahead', () =>
    lone.alone(async (agent, device) => {
      const id = await lone.parked()
      agent.pause()
      device.fencing += 30n
      const { fencing } = device
      await phones().delete(tenant.caller, id)
      await eventually(() => lone.isFree(device))
      expect(device.fencing).toBe(fencing + 1n)
    }))

  it('has its device quarantined, with the reason, when it is deleted while its agent is far ahead', () =>
    lone.alone(async (agent, device) => {
      const id = await lone.parked()
      agent.pause()
      device.fencing += 2_000_000n
      await phones().delete(tenant.caller, id)
      await eventually(async () => (await lone.rowOf(device)).state === 'quarantined')
      expect((await lone.rowOf(device)).reason).toContain(`fencing number ${device.fencing}`)
    }))
})
