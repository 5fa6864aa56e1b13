/**
 * Phones that can be wiped but never start: they are quarantined instead of failing creates forever. Runs
 * with real Postgres and broker, and agent doubles.
 */
import { Metadata, status } from '@grpc/grpc-js'
import { ApiError } from '@phonerack/shared'
import { beforeAll, describe, expect, it } from 'vitest'
import { type AgentDouble, type DoubleDevice } from '../../testing/agent-double.js'
import { loneDevice, type LoneDevice } from '../../testing/lone-device.js'
import { brokenInvariants } from '../../testing/money.js'
import { endStart, eventually, useWorld, type Plane, type Tenant } from '../../testing/world.js'
import { nextStepOf } from './quarantine.js'

const world = useWorld()
let plane: Plane
let tenant: Tenant
let lone: LoneDevice
/** Milliseconds by which the control plane's clock is ahead. */
let ahead = 0

beforeAll(async () => {
  plane = await world.start({ pace: 0.05, clock: { now: () => new Date(Date.now() + ahead) } })
  tenant = await plane.tenant()
  lone = loneDevice(plane, tenant)
})

interface Rack {
  agent: AgentDouble
  device: DoubleDevice
  others: DoubleDevice[]
}

/** Runs `work` on hosts that no other test uses. */
async function alone(work: (rack: Rack) => Promise<void>, count = 1): Promise<void> {
  await lone.alone((agent, device, others) => work({ agent, device, others }), count)
  expect(await brokenInvariants(plane.app.core.db)).toEqual([])
}

async function stateOf({ agent }: Rack) {
  const where = { hostId: agent.hostId }
  const rows = await plane.app.core.db.device.findMany({ where, orderBy: { serial: 'asc' } })
  const host = await plane.app.core.db.host.findUniqueOrThrow({ where: { id: agent.hostId } })
  return { states: rows.map(({ state }) => state), isDegraded: host.degradedUntil !== null }
}

/** The agent's answer when the phone does not become ready; a retry may help. */
const failing = () => Promise.reject(new ApiError('phone_unavailable', { message: 'The screen is black.' }))
/** The error of a call that reaches its deadline. */
const deadlineExceeded = () =>
  Object.assign(new Error('Deadline exceeded'), {
    code: status.DEADLINE_EXCEEDED,
    details: 'Deadline exceeded',
    metadata: new Metadata(),
  })
const remove = (id: string) => plane.app.services.phones.delete(tenant.caller, id)

/** The attempt of the start job that waits or runs with the phone's present device; 0: no job. */
async function attemptOf(phoneId: string): Promise<number> {
  const rows = await plane.app.core.db.$queryRaw<{ attempt: number }[]>`
    select coalesce((payload->>'attempt')::int, 1) as attempt from graphile_worker._private_jobs
    where key like ${`phone.start:${phoneId}:%`}`
  return Math.max(0, ...rows.map(({ attempt }) => attempt))
}

/** Waits until the create has failed, which the create's deadline ends after three tries with its device. */
async function untilFailed(phoneId: string): Promise<void> {
  await eventually(async () => {
    if ((await attemptOf(phoneId)) > 3) await endStart(plane, phoneId)
    return (await plane.app.services.phones.get(tenant.caller, phoneId)).status === 'failed'
  })
}

async function failOne(device: DoubleDevice): Promise<void> {
  const { phone } = await lone.create()
  await untilFailed(phone.id)
  await eventually(async () => ['free', 'quarantined'].includes((await lone.rowOf(device)).state))
}

describe('a phone that does not start', () => {
  it('quarantines the only device after three failed creates, with the last failure as the reason', () =>
    alone(async (rack) => {
      const { agent, device } = rack
      device.onStart = failing
      for (const state of ['free', 'free', 'quarantined']) {
        await failOne(device)
        expect((await lone.rowOf(device)).state).toBe(state)
      }
      const row = await lone.rowOf(device)
      expect(row.reason).toMatch(/could not be started for 3 creates in a row/)
      expect(row.reason).toContain('The screen is black.')
      expect(nextStepOf({ ...row, checks: [] })?.commands).toEqual([
        expect.objectContaining({ words: ['device', 'release', row.id] }),
      ])
      expect(agent.log.filter((line) => line.startsWith('wipe'))).toHaveLength(2)
      // The operator's release begins a new count.
      expect((await lone.operate(`${device.serial}/release`, {})).statusCode).toBe(202)
      await eventually(() => lone.isFree(device))
      await failOne(device)
      expect((await lone.rowOf(device)).state).toBe('free')
    }))

  it('gives the creates to another device, and quarantines the failing device', () =>
    alone(async (rack) => {
      const {
        device,
        others: [second],
      } = rack
      if (!second) throw new Error('the rack has one device')
      device.onStart = failing
      for (let count = 0; count < 3; count += 1) {
        // Makes the device the first that its host assigns.
        await plane.app.core.db.device.update({
          where: { id: (await lone.rowOf(device)).id },
          data: { freedAt: null },
        })
        const id = await lone.ready()
        expect(await lone.rowOf(second)).toMatchObject({ phoneId: id })
        await remove(id)
        await eventually(() => lone.isFree(second))
        await eventually(async () => (await lone.rowOf(device)).state !== 'wiping')
      }
      expect((await stateOf(rack)).isDegraded).toBe(false)
      expect((await lone.rowOf(device)).state).toBe('quarantined')
    }, 2))

  it('begins a new count with each start that succeeds', () =>
    alone(async ({ device }) => {
      for (const isGood of [false, false, true, false, false]) {
        if (isGood) {
          delete device.onStart
          await remove(await lone.ready())
          await eventually(() => lone.isFree(device))
        } else {
          device.onStart = failing
          await failOne(device)
        }
        expect((await lone.rowOf(device)).state).toBe('free')
      }
    }))

  it('does not count a start that the host refused by its own fault', () =>
    alone(async ({ device }) => {
      device.onStart = () =>
        Promise.reject(
          new ApiError('phone_unavailable', { retryable: true, details: { host_fault: 'own_fault' } }),
        )
      for (let count = 0; count < 4; count += 1) await failOne(device)
      expect(await lone.rowOf(device)).toMatchObject({ state: 'free', failedStarts: 0 })
    }))

  it('does not count a try that the end of the create cut short', () =>
    alone(async (rack) => {
      const { device } = rack
      let tries = 0
      device.onStart = async () => {
        tries += 1
        if (tries === 2) {
          ahead = 20_000
          throw deadlineExceeded()
        }
        // The next try begins with less than half of a try's time.
        const startDeadlineAt = new Date(Date.now() + 20_000)
        await plane.app.core.db.phone.updateMany({ where: { status: 'creating' }, data: { startDeadlineAt } })
        throw new Error('The connection was lost.')
      }
      const { phone } = await lone.create()
      // The second try adds no third try.
      await eventually(async () => tries === 2 && (await attemptOf(phone.id)) !== 2)
      ahead = 0
      await endStart(plane, phone.id)
      await lone.untilState(device, 'free')
      expect(tries).toBe(2)
      expect(await lone.rowOf(device)).toMatchObject({ failedStarts: 0, startFailedAt: null })
      expect((await stateOf(rack)).isDegraded).toBe(false)
    }))

  it('quarantines none of several devices of a host that fail creates in three rounds', () =>
    alone(async (rack) => {
      const { device, others } = rack
      for (const each of [device, ...others]) each.onStart = failing
      for (let round = 0; round < 3; round += 1) {
        const made = await Promise.allSettled([lone.create(), lone.create()])
        for (const one of made) if (one.status === 'fulfilled') await untilFailed(one.value.phone.id)
        await eventually(async () => !(await stateOf(rack)).states.includes('wiping'))
      }
      await eventually(async () => (await stateOf(rack)).isDegraded)
      expect((await stateOf(rack)).states).toEqual(['free', 'free'])
      await eventually(async () => (await lone.rowOf(device)).failedStarts === 0)
    }, 2))

  it('takes back the quarantine of a device when another device of its host fails soon after it', () =>
    alone(async (rack) => {
      const {
        device,
        others: [second],
      } = rack
      if (!second) throw new Error('the rack has one device')
      device.onStart = failing
      const held = await lone.ready()
      expect(await lone.rowOf(second)).toMatchObject({ phoneId: held })
      await eventually(async () => (await lone.rowOf(device)).state !== 'wiping')
      while (await lone.isFree(device)) await failOne(device)
      expect((await stateOf(rack)).states.toSorted()).toEqual(['assigned', 'quarantined'])
      second.onStart = failing
      await remove(held)
      await eventually(() => lone.isFree(second))
      await failOne(second)
      await eventually(async () => (await stateOf(rack)).isDegraded)
      await eventually(() => lone.isFree(device))
      expect((await stateOf(rack)).states).toEqual(['free', 'free'])
    }, 2))
})
