/** Wipes and enrolments that their host does not answer, over real Postgres, jobs, broker and gRPC; the agent is a double. */
import { ApiError } from '@phonerack/shared'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type AgentDouble, type DoubleDevice } from '../testing/agent-double.js'
import { enrollDevice, releaseHeldDevice } from '../testing/operator.js'
import { eventually, startWorld, type Plane, type World } from '../testing/world.js'

let world: World
let plane: Plane
let agent: AgentDouble
beforeAll(async () => {
  world = startWorld()
  plane = await world.start({ env: { PHONERACK_CARE_DEADLINE: '3' } })
  agent = await plane.rack(2)
})
afterAll(() => world.stop(), 60_000)

const deviceAt = (index: number): DoubleDevice => {
  const device = [...agent.devices.values()][index]
  if (!device) throw new Error('the rack has too few devices')
  return device
}
const rowOf = ({ serial }: DoubleDevice) => plane.app.core.db.device.findFirstOrThrow({ where: { serial } })

/** Has a free device wiped, as when it was released from quarantine. */
async function wipe({ serial }: DoubleDevice): Promise<void> {
  const { core } = plane.app
  await core.db.device.updateMany({ where: { serial }, data: { state: 'quarantined' } })
  await releaseHeldDevice(core, serial, false)
}

describe('a wipe whose call reaches its deadline', () => {
  it('is sent three times, then the device is quarantined with the reason and what to do', async () => {
    const device = deviceAt(0)
    let tries = 0
    device.onWipe = () => {
      tries += 1
      return new Promise(() => undefined)
    }
    await wipe(device)
    await eventually(async () => (await rowOf(device)).reason?.includes('(try 1 of 3)') ?? false)
    const meanwhile = await rowOf(device)
    expect(meanwhile.state).toBe('wiping')
    expect(meanwhile.reason).toMatch(/did not answer the wipe within 3 s .*Check that the phone responds/)
    await eventually(async () => (await rowOf(device)).state === 'quarantined')
    expect(tries).toBe(3)
    const { reason } = await rowOf(device)
    expect(reason).toContain('did not answer the wipe within 3 s, 3 times')
    expect(reason).toContain('Check that the phone responds, and read the log of the host agent.')
    delete device.onWipe
  })

  it('counts on when the host has it ordered again under another number', async () => {
    const device = deviceAt(0)
    let tries = 0
    device.onWipe = () => {
      tries += 1
      if (tries !== 2) return new Promise(() => undefined)
      const details = { reason: 'old_number', current_fencing_number: device.fencing.toString() }
      return Promise.reject(new ApiError('phone_unavailable', { details }))
    }
    await wipe(device)
    await eventually(async () => (await rowOf(device)).state === 'quarantined')
    expect(tries).toBe(4)
    delete device.onWipe
  })

  it('is quarantined at its enrolment too', async () => {
    const device = agent.addDevice(`${agent.hostId}-new`)
    device.onEnroll = () => new Promise(() => undefined)
    await eventually(
      async () => (await plane.app.core.db.device.count({ where: { serial: device.serial } })) === 1,
    )
    await enrollDevice(plane.app.core, device.serial)
    await eventually(async () => (await rowOf(device)).state === 'quarantined')
    expect((await rowOf(device)).reason).toContain('did not answer the enrolment within 3 s, 3 times')
  })

  it('waits for an unreachable host without counting', async () => {
    const device = deviceAt(1)
    agent.cutGrpc()
    await wipe(device)
    const attempts = async (): Promise<number> => {
      const rows = await plane.app.core.db.$queryRaw<{ attempt: number }[]>`
        select (payload->>'attempt')::int as attempt from graphile_worker._private_jobs
        where payload->>'deviceId' = ${(await rowOf(device)).id}`
      return Math.max(0, ...rows.map(({ attempt }) => attempt))
    }
    await eventually(async () => (await attempts()) >= 4)
    // A heartbeat does not clear the reason.
    await new Promise((resolve) => setTimeout(resolve, 1200))
    const { state, reason } = await rowOf(device)
    expect(state).toBe('wiping')
    expect(reason).toMatch(/unreachable.*Start the host agent/)
    await agent.serve()
    await eventually(async () => (await rowOf(device)).state === 'free')
    expect((await rowOf(device)).reason).toBeNull()
  })
})
