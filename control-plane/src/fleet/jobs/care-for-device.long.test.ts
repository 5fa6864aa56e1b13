/**
 * Wipes and enrolments that the host does not answer, over real Postgres, jobs, broker and gRPC; the agent is
 * a double.
 */
import { Metadata, status } from '@grpc/grpc-js'
import { ApiError } from '@phonerack/shared'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type AgentDouble, type DoubleDevice } from '../../testing/agent-double.js'
import { enrollDevice, releaseHeldDevice } from '../../testing/operator.js'
import { eventually, startWorld, type Plane, type World } from '../../testing/world.js'

let world: World
let plane: Plane
let agent: AgentDouble
beforeAll(async () => {
  world = startWorld()
  plane = await world.start({ pace: 0.05 })
  agent = await plane.rack(2)
})
afterAll(() => world.stop(), 60_000)

const deviceAt = (index: number): DoubleDevice => {
  const device = [...agent.devices.values()][index]
  if (!device) throw new Error('the rack has too few devices')
  return device
}
const rowOf = ({ serial }: DoubleDevice) => plane.app.core.db.device.findFirstOrThrow({ where: { serial } })

/** The error of a call that reaches its deadline. */
const deadlineExceeded = () =>
  Promise.reject(
    Object.assign(new Error('Deadline exceeded'), {
      code: status.DEADLINE_EXCEEDED,
      details: 'Deadline exceeded',
      metadata: new Metadata(),
    }),
  )

/** Starts the wipe of a free device, as when an operator releases it from quarantine. */
async function wipe({ serial }: DoubleDevice): Promise<void> {
  const { core } = plane.app
  await core.db.device.updateMany({ where: { serial }, data: { state: 'quarantined' } })
  await releaseHeldDevice(core, serial, false)
}

describe('a wipe whose call reaches its deadline', () => {
  it('is sent three times, then the device is quarantined with the reason and what to do', async () => {
    const device = deviceAt(0)
    const { rules } = plane.app.core
    const { careDeadlineMs } = rules
    rules.careDeadlineMs = 1500
    const meanwhile: Awaited<ReturnType<typeof rowOf>>[] = []
    let tries = 0
    device.onWipe = async () => {
      tries += 1
      // The first call reaches its own deadline.
      rules.careDeadlineMs = careDeadlineMs
      if (tries === 1) return new Promise(() => undefined)
      meanwhile.push(await rowOf(device))
      return deadlineExceeded()
    }
    await wipe(device)
    await eventually(async () => (await rowOf(device)).state === 'quarantined')
    expect(tries).toBe(3)
    expect(meanwhile[0]?.state).toBe('wiping')
    expect(meanwhile[0]?.reason).toMatch(
      /did not answer the wipe within 300 s \(try 1 of 3\).*Check that the phone responds/,
    )
    const { reason } = await rowOf(device)
    expect(reason).toContain('did not answer the wipe within 300 s, 3 times')
    expect(reason).toContain('Check that the phone responds, and read the log of the host agent.')
    delete device.onWipe
  })

  it('keeps its count when it is ordered again under another number', async () => {
    const device = deviceAt(0)
    let tries = 0
    device.onWipe = () => {
      tries += 1
      if (tries !== 2) return deadlineExceeded()
      const details = { reason: 'old_number', current_fencing_number: device.fencing.toString() }
      return Promise.reject(new ApiError('phone_unavailable', { details }))
    }
    await wipe(device)
    await eventually(async () => (await rowOf(device)).state === 'quarantined')
    expect(tries).toBe(4)
    delete device.onWipe
  })

  it('quarantines the device of an enrolment too', async () => {
    const device = agent.addDevice(`${agent.hostId}-new`)
    device.onEnroll = deadlineExceeded
    await eventually(
      async () => (await plane.app.core.db.device.count({ where: { serial: device.serial } })) === 1,
    )
    await enrollDevice(plane.app.core, device.serial)
    await eventually(async () => (await rowOf(device)).state === 'quarantined')
    expect((await rowOf(device)).reason).toContain('did not answer the enrolment within 300 s, 3 times')
  })

  it('waits for an unreachable host without counting', async () => {
    const device = deviceAt(1)
    agent.cutGrpc()
    await wipe(device)
    const { id } = await rowOf(device)
    // This is the second attempt, which waits or runs.
    await eventually(async () => {
      const [payload] = await plane.app.core.db.$queryRaw<Record<string, number>[]>`
        select (payload->>'attempt')::int as attempt, (payload->>'refused')::int as refused,
          (payload->>'unanswered')::int as unanswered
        from graphile_worker._private_jobs where payload->>'deviceId' = ${id}`
      if (payload?.['attempt'] !== 2) return false
      expect(payload).toEqual({ attempt: 2, refused: 0, unanswered: 0 })
      return true
    })
    // A heartbeat does not clear the reason.
    const since = plane.app.core.clock.now()
    const heard = { id: agent.hostId, lastSeenAt: { gt: since } }
    await eventually(async () => (await plane.app.core.db.host.count({ where: heard })) === 1)
    const { state, reason } = await rowOf(device)
    expect(state).toBe('wiping')
    expect(reason).toMatch(/unreachable.*Start the host agent/)
    await agent.serve()
    await eventually(async () => (await rowOf(device)).state === 'free')
    expect((await rowOf(device)).reason).toBeNull()
  })
})
