/**
 * Phones that can be wiped but never start: they are quarantined instead of failing creates forever. Real Postgres and broker,
 * agent doubles.
 */
import { ApiError } from '@phonerack/shared'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type AgentDouble, type DoubleDevice } from '../testing/agent-double.js'
import { loneDevice, type LoneDevice } from '../testing/lone-device.js'
import { brokenInvariants } from '../testing/money.js'
import { eventually, useWorld, type Plane, type Tenant } from '../testing/world.js'
import { nextStepOf } from './quarantine.js'

const world = useWorld()
let plane: Plane
let tenant: Tenant
let lone: LoneDevice

beforeAll(async () => {
  plane = await world.start({ env: { PHONERACK_CREATE_DEADLINE: '8' } })
  tenant = await plane.tenant()
  lone = loneDevice(plane, tenant)
})
afterAll(async () => {
  expect(await brokenInvariants(plane.app.core.db)).toEqual([])
})

const stateOf = async (agent: AgentDouble) => {
  const where = { hostId: agent.hostId }
  const rows = await plane.app.core.db.device.findMany({ where, orderBy: { serial: 'asc' } })
  const host = await plane.app.core.db.host.findUniqueOrThrow({ where: { id: agent.hostId } })
  return { states: rows.map(({ state }) => state), isDegraded: host.degradedUntil !== null }
}

/** The agent's answer when the phone does not become ready: a retry may help. */
const failing = () => Promise.reject(new ApiError('phone_unavailable', { message: 'The screen is black.' }))
const remove = (id: string) => plane.app.services.phones.delete(tenant.caller, id)

async function failOne(device: DoubleDevice): Promise<void> {
  const { phone } = await lone.create()
  expect((await lone.until(phone.id, 'failed')).status).toBe('failed')
  await eventually(async () => ['free', 'quarantined'].includes((await lone.rowOf(device)).state))
}

it('quarantines the only device after three failed creates, with the last failure as the reason', () =>
  lone.alone(async (agent, device) => {
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

it('gives the creates to another device, and quarantines the one that fails', () =>
  lone.alone(async (agent, device, [second]) => {
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
      await remove(id)
      await eventually(() => lone.isFree(second))
      await eventually(async () => (await lone.rowOf(device)).state !== 'wiping')
    }
    expect((await stateOf(agent)).isDegraded).toBe(false)
    expect((await lone.rowOf(device)).state).toBe('quarantined')
  }, 2))

it('begins a new count with each start that succeeds', () =>
  lone.alone(async (_agent, device) => {
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

it('does not count a start that its host refused by its own fault', () =>
  lone.alone(async (_agent, device) => {
    device.onStart = () =>
      Promise.reject(
        new ApiError('phone_unavailable', { retryable: true, details: { host_fault: 'own_fault' } }),
      )
    for (let count = 0; count < 4; count += 1) await failOne(device)
    expect(await lone.rowOf(device)).toMatchObject({ state: 'free', failedStarts: 0 })
  }))

it('does not count a try that the end of the create cut', () =>
  lone.alone(async (agent, device) => {
    let tries = 0
    device.onStart = async () => {
      tries += 1
      // Without an answer of the agent: the phone is not at fault.
      await new Promise((resolve) => setTimeout(resolve, tries === 1 ? 5000 : 20_000))
      throw new Error('The connection was lost.')
    }
    await failOne(device)
    expect(tries).toBe(2)
    expect(await lone.rowOf(device)).toMatchObject({ state: 'free', failedStarts: 0, startFailedAt: null })
    expect((await stateOf(agent)).isDegraded).toBe(false)
  }))

it('quarantines none of several devices of a host that fail creates in three rounds', () =>
  lone.alone(async (agent, device, others) => {
    for (const each of [device, ...others]) each.onStart = failing
    for (let round = 0; round < 3; round += 1) {
      const made = await Promise.allSettled([lone.create(), lone.create()])
      for (const one of made) if (one.status === 'fulfilled') await lone.until(one.value.phone.id, 'failed')
      await eventually(async () => !(await stateOf(agent)).states.includes('wiping'))
    }
    await eventually(async () => (await stateOf(agent)).isDegraded)
    expect((await stateOf(agent)).states).toEqual(['free', 'free'])
    await eventually(async () => (await lone.rowOf(device)).failedStarts === 0)
  }, 2))

it('takes back the quarantine of a device when another one of its host fails soon after it', () =>
  lone.alone(async (agent, device, [second]) => {
    if (!second) throw new Error('the rack has one device')
    device.onStart = failing
    const held = await lone.ready()
    expect(await lone.rowOf(second)).toMatchObject({ phoneId: held })
    await eventually(async () => (await lone.rowOf(device)).state !== 'wiping')
    while (await lone.isFree(device)) await failOne(device)
    expect((await stateOf(agent)).states.toSorted()).toEqual(['assigned', 'quarantined'])
    second.onStart = failing
    await remove(held)
    await eventually(() => lone.isFree(second))
    await failOne(second)
    await eventually(async () => (await stateOf(agent)).isDegraded)
    await eventually(() => lone.isFree(device))
    expect((await stateOf(agent)).states).toEqual(['free', 'free'])
  }, 2))
