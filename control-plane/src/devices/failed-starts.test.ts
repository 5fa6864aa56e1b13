/**
 * Phones that can be wiped but never start: they are quarantined instead of failing creates forever. Real Postgres and broker,
 * agent doubles.
 */
import { ApiError } from '@phonerack/shared'
import { describe, expect, it } from 'vitest'
import { type AgentDouble, type DoubleDevice } from '../testing/agent-double.js'
import { loneDevice, type LoneDevice } from '../testing/lone-device.js'
import { brokenInvariants } from '../testing/money.js'
import { eventually, useWorld, type Plane, type Tenant } from '../testing/world.js'
import { nextStepOf } from './quarantine.js'

const world = useWorld()

interface Rack {
  plane: Plane
  tenant: Tenant
  lone: LoneDevice
  agent: AgentDouble
  device: DoubleDevice
  others: DoubleDevice[]
}

/**
 * Runs `work` with a control plane and a rack of `count` devices. The tests run at the same time, since they mostly wait.
 * @param deadline of creates, in seconds
 */
async function alone(work: (rack: Rack) => Promise<void>, count = 1, deadline = 8): Promise<void> {
  const plane = await world.start({ env: { PHONERACK_CREATE_DEADLINE: String(deadline) } })
  try {
    const tenant = await plane.tenant()
    const lone = loneDevice(plane, tenant)
    await lone.alone((agent, device, others) => work({ plane, tenant, lone, agent, device, others }), count)
    expect(await brokenInvariants(plane.app.core.db)).toEqual([])
  } finally {
    // An idle control plane costs the tests that follow in this process.
    await plane.close()
  }
}

const stateOf = async ({ plane, agent }: Rack) => {
  const where = { hostId: agent.hostId }
  const rows = await plane.app.core.db.device.findMany({ where, orderBy: { serial: 'asc' } })
  const host = await plane.app.core.db.host.findUniqueOrThrow({ where: { id: agent.hostId } })
  return { states: rows.map(({ state }) => state), isDegraded: host.degradedUntil !== null }
}

/** The agent's answer when the phone does not become ready: a retry may help. */
const failing = () => Promise.reject(new ApiError('phone_unavailable', { message: 'The screen is black.' }))
const remove = ({ plane, tenant }: Rack, id: string) => plane.app.services.phones.delete(tenant.caller, id)

async function failOne({ lone }: Rack, device: DoubleDevice): Promise<void> {
  const { phone } = await lone.create()
  expect((await lone.until(phone.id, 'failed')).status).toBe('failed')
  await eventually(async () => ['free', 'quarantined'].includes((await lone.rowOf(device)).state))
}

describe.concurrent('a phone that does not start', () => {
  it('quarantines the only device after three failed creates, with the last failure as the reason', () =>
    alone(async (rack) => {
      const { lone, agent, device } = rack
      device.onStart = failing
      for (const state of ['free', 'free', 'quarantined']) {
        await failOne(rack, device)
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
      await failOne(rack, device)
      expect((await lone.rowOf(device)).state).toBe('free')
    }))

  it('gives the creates to another device, and quarantines the one that fails', () =>
    alone(async (rack) => {
      const {
        plane,
        lone,
        device,
        others: [second],
      } = rack
      if (!second) throw new Error('the rack has one device')
      device.onStart = failing
      for (let count = 0; count < 3; count += 1) {
        // The first of its host.
        await plane.app.core.db.device.update({
          where: { id: (await lone.rowOf(device)).id },
          data: { freedAt: null },
        })
        const id = await lone.ready()
        expect(await lone.rowOf(second)).toMatchObject({ phoneId: id })
        await remove(rack, id)
        await eventually(() => lone.isFree(second))
        await eventually(async () => (await lone.rowOf(device)).state !== 'wiping')
      }
      expect((await stateOf(rack)).isDegraded).toBe(false)
      expect((await lone.rowOf(device)).state).toBe('quarantined')
    }, 2))

  it('begins a new count with each start that succeeds', () =>
    alone(async (rack) => {
      const { lone, device } = rack
      for (const isGood of [false, false, true, false, false]) {
        if (isGood) {
          delete device.onStart
          await remove(rack, await lone.ready())
          await eventually(() => lone.isFree(device))
        } else {
          device.onStart = failing
          await failOne(rack, device)
        }
        expect((await lone.rowOf(device)).state).toBe('free')
      }
    }))

  it('does not count a start that its host refused by its own fault', () =>
    alone(async (rack) => {
      const { lone, device } = rack
      device.onStart = () =>
        Promise.reject(
          new ApiError('phone_unavailable', { retryable: true, details: { host_fault: 'own_fault' } }),
        )
      for (let count = 0; count < 4; count += 1) await failOne(rack, device)
      expect(await lone.rowOf(device)).toMatchObject({ state: 'free', failedStarts: 0 })
    }))

  it('does not count a try that the end of the create cut', () =>
    alone(
      async (rack) => {
        const { plane, lone, device } = rack
        let tries = 0
        device.onStart = async () => {
          tries += 1
          if (tries === 1) {
            // The next try begins with less than half of the time of a create.
            const startDeadlineAt = new Date(Date.now() + 11_000)
            const where = { startDeadlineAt: { not: null } }
            await plane.app.core.db.phone.updateMany({ where, data: { startDeadlineAt } })
          } else await new Promise((resolve) => setTimeout(resolve, 25_000))
          // Without an answer of the agent: the phone is not at fault.
          throw new Error('The connection was lost.')
        }
        await failOne(rack, device)
        expect(tries).toBe(2)
        expect(await lone.rowOf(device)).toMatchObject({
          state: 'free',
          failedStarts: 0,
          startFailedAt: null,
        })
        expect((await stateOf(rack)).isDegraded).toBe(false)
      },
      1,
      24,
    ))

  it('quarantines none of several devices of a host that fail creates in three rounds', () =>
    alone(async (rack) => {
      const { lone, device, others } = rack
      for (const each of [device, ...others]) each.onStart = failing
      for (let round = 0; round < 3; round += 1) {
        const made = await Promise.allSettled([lone.create(), lone.create()])
        for (const one of made) if (one.status === 'fulfilled') await lone.until(one.value.phone.id, 'failed')
        await eventually(async () => !(await stateOf(rack)).states.includes('wiping'))
      }
      await eventually(async () => (await stateOf(rack)).isDegraded)
      expect((await stateOf(rack)).states).toEqual(['free', 'free'])
      await eventually(async () => (await lone.rowOf(device)).failedStarts === 0)
    }, 2))

  it('takes back the quarantine of a device when another one of its host fails soon after it', () =>
    alone(async (rack) => {
      const {
        lone,
        device,
        others: [second],
      } = rack
      if (!second) throw new Error('the rack has one device')
      device.onStart = failing
      const held = await lone.ready()
      expect(await lone.rowOf(second)).toMatchObject({ phoneId: held })
      await eventually(async () => (await lone.rowOf(device)).state !== 'wiping')
      while (await lone.isFree(device)) await failOne(rack, device)
      expect((await stateOf(rack)).states.toSorted()).toEqual(['assigned', 'quarantined'])
      second.onStart = failing
      await remove(rack, held)
      await eventually(() => lone.isFree(second))
      await failOne(rack, second)
      await eventually(async () => (await stateOf(rack)).isDegraded)
      await eventually(() => lone.isFree(device))
      expect((await stateOf(rack)).states).toEqual(['free', 'free'])
    }, 2))
})
