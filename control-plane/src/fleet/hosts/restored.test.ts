/**
 * Agents that know more than the database, as after a restore. Runs with real Postgres and broker, and agent
 * doubles. The database is unchanged; the doubles report what agents would report to an older database.
 */
import { readEpoch } from '../../base/db/epoch.js'
import { tenantOf } from '../../rental/devices/tenant.js'
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
  it('is wiped before it is assigned when an unknown phone used it under the same number', () =>
    lone.alone(async (agent, device) => {
      usedBy(device, 'ph_unknownaaaaa')
      agent.beat()
      await eventually(() => agent.log.some((line) => line.startsWith('wipe')))
      await eventually(() => lone.isFree(device))
      const id = await lone.ready()
      expect(agent.log.map((line) => line.split(' ')[0])).toEqual(['wipe', 'start'])
      await phones().delete(tenant.caller, id)
    }))

  it('is wiped under a higher number when its agent is ahead', () =>
    lone.alone(async (agent, device) => {
      usedBy(device, 'ph_unknownaaaaa', 40n)
      const { fencing } = device
      agent.beat()
      await eventually(() => agent.log.length > 0)
      await eventually(() => lone.isFree(device))
      expect(device.fencing).toBe(fencing + 1n)
      expect((await lone.rowOf(device)).fencingNumber).toBe(fencing + 1n)
    }))

  it('is quarantined when its agent reports a number that is far ahead, which is not adopted', () =>
    lone.alone(async (agent, device) => {
      const before = await lone.rowOf(device)
      usedBy(device, null, 1_000_001n)
      agent.beat()
      await eventually(async () => (await lone.rowOf(device)).state === 'quarantined')
      const after = await lone.rowOf(device)
      expect(after.fencingNumber).toBe(before.fencingNumber)
      expect(after.reason).toContain(`fencing number ${device.fencing}`)
    }))

  it('is assigned only to one tenant when it is clean for that tenant only', () =>
    lone.alone(async (agent, device) => {
      const [other, third] = [await plane.tenant(), await plane.tenant()]
      device.cleansFor = `tenant:${tenantOf(other.projectId)}`
      const id = await lone.ready()
      await phones().delete(tenant.caller, id)
      await eventually(() => lone.isFree(device))
      expect(await refusalOf(lone.create(third))).toBe('capacity_unavailable')
      await phones().delete(other.caller, await lone.ready(other))
      agent.beat()
    }))
})

describe('a device that its host has forgotten', () => {
  const forget = (device: DoubleDevice): void => {
    Object.assign(device, { link: 'unenrolled', fencing: 0n, assignment: null, dirty: true, cleanFor: '' })
    device.revision += 1
  }
  const enrol = (device: DoubleDevice) => lone.operate(`${device.serial}/enroll`, { erase: true })

  it('is not assigned before an operator has enrolled it again', () =>
    lone.alone(async (agent, device) => {
      const before = await lone.rowOf(device)
      forget(device)
      agent.beat()
      await eventually(async () => (await lone.rowOf(device)).state === 'offline')
      expect(await refusalOf(lone.create())).toBe('capacity_unavailable')
      expect((await enrol(device)).statusCode).toBe(202)
      await eventually(() => lone.isFree(device))
      expect((await lone.rowOf(device)).fencingNumber).toBeGreaterThan(before.fencingNumber)
      await phones().delete(tenant.caller, await lone.ready())
    }))
})

describe('after the database changed', () => {
  it('no device is assigned before its agent has confirmed it', () =>
    lone.alone(async (agent, device) => {
      agent.pause()
      const before = await readEpoch(db())
      await lone.renewEpoch()
      expect(await readEpoch(db())).not.toBe(before)
      expect(await refusalOf(lone.create())).toBe('capacity_unavailable')
      agent.resume()
      await eventually(async () => (await lone.rowOf(device)).confirmedEpoch === (await readEpoch(db())))
      // The device was clean, so nothing had to be wiped.
      expect(agent.log).toEqual([])
      await phones().delete(tenant.caller, await lone.ready())
    }))
})

describe('a phone', () => {
  it('starts again after a park, under a number higher than its agent’s', () =>
    lone.alone(async (_agent, device) => {
      const id = await lone.parked()
      usedBy(device, id, 20n)
      await lone.start(id)
      expect((await lone.until(id, 'ready')).status).toBe('ready')
      await phones().delete(tenant.caller, id)
    }))

  it('fails when another phone got its device, and the device is wiped', () =>
    lone.alone(async (agent, device) => {
      const id = await lone.parked()
      usedBy(device, 'ph_unknownaaaaa', 2n)
      agent.beat()
      expect((await lone.until(id, 'failed')).failure?.message).toContain('assigned to another phone')
      await eventually(() => lone.isFree(device))
      expect(agent.log.at(-1)).toBe(`wipe ${id} ${device.fencing}`)
    }))

  it.each([1n, 0n])(
    'does not start empty when its device was wiped in between, before any heartbeat (number ahead by %s)',
    (numbers) =>
      lone.alone(async (agent, device) => {
        const id = await lone.parked()
        agent.pause()
        wipedSince(device, numbers)
        const before = agent.log.length
        await lone.start(id)
        expect((await lone.until(id, 'failed')).failure?.message).toContain('was wiped')
        await eventually(() => lone.isFree(device))
        expect(agent.log.slice(before).map((line) => line.split(' ')[0])).toEqual(['wipe'])
      }),
  )
})
