// Phones from create to delete. Runs with real Postgres and broker; the agent is a double.
import { beforeAll, describe, expect, it } from 'vitest'
import { ApiError } from '@phonerack/shared'
import { setPaused } from '../../testing/operator.js'
import { brokenInvariants } from '../../testing/money.js'
import { createBody, eventually, useWorld, type Plane } from '../../testing/world.js'
import { type AgentDouble } from '../../testing/agent-double.js'
import { type PhoneView } from './types.js'

const world = useWorld()
let plane: Plane
let agent: AgentDouble

beforeAll(async () => {
  plane = await world.start()
  agent = await plane.rack(4)
})

const settled = (status: string) => (phone: PhoneView) => phone.status === status
const waitFor = (id: string, status: string, ms = 10_000) =>
  plane.app.services.phones.wait(id, settled(status), ms, new AbortController().signal)

const allFree = () =>
  eventually(async () => (await plane.app.core.db.device.count({ where: { state: { not: 'free' } } })) === 0)

/** On an idle machine, this is a second. */
const slowMs = 10_000

describe('a phone', () => {
  it('runs from create to delete, and is charged to the micro-dollar [3.19, 3.22, 4.5, 4.19, 10.4, 17.8]', async () => {
    const { phones } = plane.app.services
    const { caller } = await plane.tenant({ credit: '10' })
    const created = await phones.create(caller, createBody({ metadata: { a: 'b' } }), null)
    expect(created.phone.status).toBe('creating')
    expect((await phones.account(caller)).reservedMicros).toBe(900_000n)

    const ready = await waitFor(created.phone.id, 'ready')
    expect(ready.lastActiveAt).not.toBeNull()
    expect(ready.session?.parkReason).toBe('idle')
    expect(ready.session?.parksAt.getTime()).toBe((ready.lastActiveAt?.getTime() ?? 0) + 300_000)

    const renewed = await phones.start(caller, ready.id, { idleTimeout: 60, maxDuration: 100 })
    expect(renewed.session?.reservedMicros).toBe(1_000_000n)
    expect(renewed.session?.maxDuration).toBe(900)

    expect((await phones.park(caller, ready.id)).status).toBe('parking')
    const parked = await waitFor(ready.id, 'parked')
    expect(parked.session).toBeNull()
    expect((await phones.park(caller, ready.id)).status).toBe('parked')
    const [session] = (await phones.sessions(caller, ready.id, { limit: 10, cursor: null })).data
    expect(session).toMatchObject({ endReason: 'parked', billedSeconds: 60, costMicros: 60_000n })

    expect((await phones.start(caller, ready.id, { idleTimeout: null, maxDuration: null })).status).toBe(
      'starting',
    )
    await waitFor(ready.id, 'ready')
    expect((await phones.delete(caller, ready.id)).status).toBe('deleted')
    expect((await phones.delete(caller, ready.id)).status).toBe('deleted')
    const account = await phones.account(caller)
    expect(account.balanceMicros).toBe(10_000_000n - 120_000n)
    expect(account.reservedMicros).toBe(0n)
    await allFree()
    expect(agent.log.filter((line) => line.includes(ready.id)).map((line) => line.split(' ')[0])).toEqual([
      'start',
      'park',
      'start',
      'wipe',
    ])
    expect(await brokenInvariants(plane.app.core.db)).toEqual([])
  })

  it('parks within a second of its idle timeout, and of its longest duration [3.23, 4.20]', async () => {
    const { phones } = plane.app.services
    const { caller } = await plane.tenant()
    const idle = await phones.create(caller, createBody({ idleTimeout: 1 }), null)
    const long = await phones.create(caller, createBody({ maxDuration: 2 }), null)
    const idleView = await waitFor(idle.phone.id, 'ready')
    await waitFor(idle.phone.id, 'parking')
    expect(Date.now() - (idleView.session?.parksAt.getTime() ?? 0)).toBeLessThan(slowMs)
    await waitFor(long.phone.id, 'parking')
    expect(Date.now() - (long.phone.session?.parksAt.getTime() ?? 0)).toBeLessThan(slowMs)
    await waitFor(long.phone.id, 'parked')
    await waitFor(idle.phone.id, 'parked')
    const reasons = await Promise.all(
      [idle, long].map(
        async ({ phone }) => (await phones.sessions(caller, phone.id, { limit: 1, cursor: null })).data[0],
      ),
    )
    expect(reasons.map((session) => session?.endReason)).toEqual(['idle', 'max_duration'])
    for (const { phone } of [idle, long]) await phones.delete(caller, phone.id)
    await allFree()
  })

  it('deletes itself instead of parking when it was created with that option, and still parks for a pause', async () => {
    const { phones } = plane.app.services
    const { caller } = await plane.tenant()
    const ephemeral = async () => {
      const { phone } = await phones.create(caller, createBody({ onIdle: 'delete' }), null)
      return (await waitFor(phone.id, 'ready')).id
    }
    const parked = await ephemeral()
    expect(await phones.park(caller, parked)).toMatchObject({ status: 'deleted', session: null })
    expect((await phones.park(caller, parked)).status).toBe('deleted')
    const [session] = (await phones.sessions(caller, parked, { limit: 1, cursor: null })).data
    expect(session?.endReason).toBe('parked')
    const paused = await ephemeral()
    await setPaused(plane.app.core, true)
    await waitFor(paused, 'parked')
    await setPaused(plane.app.core, false)
    // The phone keeps its device until it is started or deleted.
    expect((await phones.park(caller, paused)).status).toBe('parked')
    await phones.delete(caller, paused)
    await allFree()
    expect(await brokenInvariants(plane.app.core.db)).toEqual([])
  })

  it('stays awake while it is used [10.11]', async () => {
    const { phones } = plane.app.services
    const { caller } = await plane.tenant()
    const { phone } = await phones.create(caller, createBody({ idleTimeout: 2 }), null)
    await waitFor(phone.id, 'ready')
    for (let beat = 0; beat < 4; beat += 1) {
      await new Promise((resolve) => setTimeout(resolve, 800))
      expect((await phones.heartbeat(caller, phone.id)).status).toBe('ready')
    }
    await waitFor(phone.id, 'parking')
    await phones.delete(caller, phone.id)
    await allFree()
  })

  it('gets another device when its first device does not start, and the first device is quarantined', async () => {
    const { phones } = plane.app.services
    const { db } = plane.app.core
    const { caller } = await plane.tenant()
    const [first] = await db.device.findMany({
      where: { state: 'free' },
      orderBy: [{ freedAt: 'asc' }, { id: 'asc' }],
    })
    const bad = agent.devices.get(first?.serial ?? '')
    if (!bad) throw new Error('no device')
    bad.onStart = () => Promise.reject(new ApiError('provider_error', { message: 'the screen stays dark' }))
    const { phone } = await phones.create(caller, createBody(), null)
    await waitFor(phone.id, 'ready')
    const kept = await db.device.findUniqueOrThrow({ where: { id: first?.id ?? '' } })
    expect(kept.state).toBe('quarantined')
    expect(kept.reason).toContain('the screen stays dark')
    delete bad.onStart
    const headers = { authorization: `Bearer ${plane.operatorToken}` }
    const url = `/operator/v1/devices/${kept.id}/release`
    expect((await plane.operator.inject({ method: 'POST', url, headers })).statusCode).toBe(202)
    await phones.delete(caller, phone.id)
    await allFree()
  })

  it('is quarantined with its device when the wipe is not verified', async () => {
    const { phones } = plane.app.services
    const { db } = plane.app.core
    const { caller } = await plane.tenant()
    const { phone } = await phones.create(caller, createBody(), null)
    await waitFor(phone.id, 'ready')
    const device = await db.device.findUniqueOrThrow({ where: { phoneId: phone.id } })
    const double = agent.devices.get(device.serial)
    if (!double) throw new Error('no device')
    double.wipeChecks = [{ name: 'accounts', passed: false, evidence: 'one account is left: a\0b' }]
    await phones.delete(caller, phone.id)
    await eventually(
      async () => (await db.device.findUniqueOrThrow({ where: { id: device.id } })).state === 'quarantined',
    )
    expect((await db.device.findUniqueOrThrow({ where: { id: device.id } })).reason).toContain(
      'one account is left: a\uFFFDb',
    )
    delete double.wipeChecks
    const headers = { authorization: `Bearer ${plane.operatorToken}` }
    await plane.operator.inject({ method: 'POST', url: `/operator/v1/devices/${device.id}/release`, headers })
    await allFree()
  })
})

it('is kept awake only by keys that may use it [3.10, 20.50]', async () => {
  const { phones } = plane.app.services
  const { caller } = await plane.tenant()
  const stranger = await plane.tenant()
  const { phone } = await phones.create(caller, createBody(), null)
  const ready = await waitFor(phone.id, 'ready')
  const lastActive = async () => (await phones.get(caller, phone.id)).lastActiveAt?.getTime() ?? 0
  await phones.touch(stranger.caller, phone.id)
  await phones.touch({ ...caller, preset: 'read-only' }, phone.id)
  await phones.touch({ ...caller, phoneIds: [] }, phone.id)
  expect(await lastActive()).toBe(ready.lastActiveAt?.getTime())
  await phones.touch(caller, phone.id)
  const touched = await lastActive()
  expect(touched).toBeGreaterThan(ready.lastActiveAt?.getTime() ?? 0)
  await phones.touch(caller, phone.id)
  expect(await lastActive()).toBe(touched)
  await phones.delete(caller, phone.id)
  await allFree()
})
