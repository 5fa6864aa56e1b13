// Reports of hosts over the broker, and versions of their protocol. Runs with real Postgres and broker; the
// agents are doubles.
import { protocol } from '@phonerack/shared'
import { beforeAll, describe, expect, it } from 'vitest'
import { createBody, eventually, useWorld, type Plane } from '../../testing/world.js'

const world = useWorld()
let plane: Plane

beforeAll(async () => {
  plane = await world.start({ env: { PHONERACK_HOST_LATE_AFTER: '2', PHONERACK_HOST_LOST_AFTER: '5' } })
})

const hostOf = (id: string) => plane.app.core.db.host.findUniqueOrThrow({ where: { id } })
const deviceOf = (serial: string) => plane.app.core.db.device.findFirstOrThrow({ where: { serial } })
const get = async (path: string) =>
  (
    await plane.operator.inject({
      url: `/operator/v1${path}`,
      headers: { authorization: `Bearer ${plane.operatorToken}` },
    })
  ).json<unknown>()

describe('an invalid report of one device', () => {
  it('hides neither its host nor the other devices, and is shown until it is valid again', async () => {
    const agent = await plane.rack(2, { beatMs: 100 })
    const [bad, good] = [...agent.devices.keys()]
    if (!bad || !good) throw new Error('no devices')
    agent.onHeartbeat = (message) => ({
      ...message,
      devices: message.devices.map((status) =>
        status.serial === bad ? { ...status, model: 'a\0b', sdk: 1e30, link: 'levitating' } : status,
      ),
    })
    await eventually(async () => (await deviceOf(bad)).reportFault !== null)
    expect(await deviceOf(bad)).toMatchObject({ link: 'unknown', state: 'offline', model: 'a\u{fffd}b' })
    const seen = (await hostOf(agent.hostId)).lastSeenAt
    await eventually(async () => (await hostOf(agent.hostId)).lastSeenAt?.getTime() !== seen?.getTime())
    expect(await deviceOf(good)).toMatchObject({ link: 'healthy', state: 'free', reportFault: null })
    expect(await get(`/devices/${bad}`)).toMatchObject({
      report_fault: expect.stringMatching(/^Not read: .*sdk/) as unknown,
    })

    agent.onHeartbeat = (message) => ({ ...message, devices: [...message.devices, { serial: 7 }] })
    await eventually(async () => (await hostOf(agent.hostId)).reportFault !== null)
    await eventually(async () => (await deviceOf(bad)).state === 'free')
    expect((await deviceOf(bad)).reportFault).toBeNull()
    expect(await get('/hosts')).toMatchObject({
      data: [{ report_fault: 'Not read: devices.2 (no readable serial)' }],
    })
    agent.onHeartbeat = (message) => ({ ...message, problem: 'no scrcpy server' })
    await eventually(async () => (await hostOf(agent.hostId)).reportFault === null)
    expect(await get('/hosts')).toMatchObject({ data: [{ report_fault: null, problem: 'no scrcpy server' }] })
    await agent.stop()
    await plane.app.core.db.host.update({ where: { id: agent.hostId }, data: { retiredAt: new Date() } })
  })
})

describe('an agent', () => {
  it.each([
    ['from before there was a version', null],
    ['one version older', protocol.version - 1],
    ['one version newer', protocol.version + 1],
  ])('%s serves phones', async (_, protocolVersion) => {
    const agent = await plane.rack(1, { beatMs: 100, protocolVersion })
    const tenant = await plane.tenant()
    const { phones } = plane.app.services
    const { phone } = await phones.create(tenant.caller, createBody(), null)
    await eventually(async () => (await phones.get(tenant.caller, phone.id)).status === 'ready')
    expect(agent.log).toContain(
      `start ${phone.id} ${(await deviceOf([...agent.devices.keys()][0] ?? '')).fencingNumber}`,
    )
    expect(await hostOf(agent.hostId)).toMatchObject({
      protocolVersion: protocolVersion ?? 1,
      reportFault: null,
    })
    await phones.delete(tenant.caller, phone.id)
    await agent.stop()
    await plane.app.core.db.host.update({ where: { id: agent.hostId }, data: { retiredAt: new Date() } })
  })

  it.each([
    ['two versions newer', protocol.version + 2, '--control-only'],
    ['two versions older', protocol.version - 2, '--host-only'],
  ])('%s cannot join, and its token stays usable', async (_, protocolVersion, command) => {
    await expect(plane.agent('late', { protocolVersion })).rejects.toThrow(command)
    expect(await plane.app.core.db.joinToken.count({ where: { usedAt: null } })).toBeGreaterThan(0)
  })

  it('is no longer heard when it is too new, and the command is shown', async () => {
    const agent = await plane.rack(1, { beatMs: 100 })
    agent.protocolVersion = protocol.version + 2
    await eventually(async () => (await hostOf(agent.hostId)).reportFault !== null)
    const { reportFault, protocolVersion, lastSeenAt } = await hostOf(agent.hostId)
    expect(reportFault).toContain('./scripts/up --control-only')
    expect(protocolVersion).toBe(protocol.version + 2)
    agent.beat()
    await new Promise((resolve) => setTimeout(resolve, 300))
    expect((await hostOf(agent.hostId)).lastSeenAt).toEqual(lastSeenAt)
  })
})
