// Reboot and reset over real Postgres, broker and gRPC; the agent is a double.
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { ApiError } from '@phonerack/shared'
import { findDevice } from '../../fleet/operator/devices.js'
import { type AgentDouble, type DoubleDevice } from '../../testing/agent-double.js'
import { brokenInvariants } from '../../testing/money.js'
import {
  createBody,
  eventually,
  startWorld,
  type Plane,
  type Tenant,
  type World,
} from '../../testing/world.js'
import { releaseHeldDevice } from '../../testing/operator.js'

let world: World
let plane: Plane
let agent: AgentDouble
let tenant: Tenant
let phoneId: string
let device: DoubleDevice
let ahead = 0
const clock = { now: () => new Date(Date.now() + ahead) }

beforeAll(async () => {
  world = startWorld()
  plane = await world.start({ clock, env: { PHONERACK_LIFECYCLE_PER_MINUTE: '100000' } })
  agent = await plane.rack(1, { beatMs: 200 })
  tenant = await plane.tenant({ credit: '1000' })
})
afterAll(async () => {
  const broken = await brokenInvariants(plane.app.core.db)
  await world.stop()
  expect(broken).toEqual([])
})

const context = { requestId: 'req_aaaaaaaaaaaa', signal: new AbortController().signal }
const phones = () => plane.app.services.phones
const power = () => plane.app.services.power
const get = () => phones().get(tenant.caller, phoneId)
const becomes = (status: string) =>
  phones()
    .wait(phoneId, (phone) => phone.status === status, 10_000, context.signal)
    .then((phone) => expect(phone.status).toBe(status))
const reboot = () => power().reboot(tenant.caller, phoneId, context)
const refused = async (work: Promise<unknown>): Promise<ApiError> => {
  const error = await work.then(
    () => null,
    (reason: unknown) => reason,
  )
  if (error instanceof ApiError) return error
  throw new Error('it was not refused', { cause: error })
}
const sent = (word: string) => agent.log.filter((line) => line.startsWith(`${word} ${phoneId}`)).length
/**
 * Waits until the host was heard at the new time, since a jump of the clock looks like silence of the host.
 */
async function travel(ms: number): Promise<void> {
  ahead += ms
  const { db } = plane.app.core
  await eventually(async () => {
    agent.beat()
    const { lastSeenAt } = await db.host.findFirstOrThrow()
    return lastSeenAt !== null && clock.now().getTime() - lastSeenAt.getTime() < 5000
  })
}
const held = () => plane.app.core.db.device.findFirstOrThrow()

beforeEach(async () => {
  agent.onCall = () => Promise.resolve()
  const first = [...agent.devices.values()][0]
  if (!first) throw new Error('no device')
  device = first
  delete device.onWipe
  delete device.onStart
  delete device.wipeChecks
  if ((await held()).state === 'quarantined') await releaseHeldDevice(plane.app.core, device.serial, false)
  const old = await phones().list(tenant.caller, { status: null, metadata: null, limit: 10, cursor: null })
  for (const { id } of old.data) await phones().delete(tenant.caller, id)
  await eventually(async () => (await held()).state === 'free')
  const { phone } = await phones().create(
    tenant.caller,
    createBody({ maxDuration: 10_000, idleTimeout: 3600 }),
    null,
  )
  phoneId = phone.id
  await becomes('ready')
})

/** Returns the code of a refusal, which lasts until the next heartbeat; null: the work succeeded. */
const refusedOrNull = (work: Promise<unknown>): Promise<string | null> =>
  work.then(
    () => null,
    (reason: unknown) => {
      if (reason instanceof ApiError && reason.code === 'phone_unavailable') return reason.code
      throw reason
    },
  )

it('does not count a reboot that could not be sent', async () => {
  agent.cutGrpc()
  const write = () => plane.app.services.settings.setClipboard(tenant.caller, phoneId, 'x', context)
  await eventually(async () => (await refused(write())).code === 'phone_unavailable')
  const error = await refused(reboot())
  expect([error.code, error.retryable]).toEqual(['phone_unavailable', true])
  expect((await get()).status).toBe('ready')
  await agent.serve()
  await eventually(async () => (await refusedOrNull(reboot())) === null)
  await becomes('ready')
})

it('starts the phone even when the process that ordered the reboot is gone', async () => {
  // The order does not return; another process finds the phone in this state.
  let release: () => void = () => undefined
  agent.onCall = () => new Promise((resolve) => (release = resolve))
  const ordered = reboot()
  await eventually(() => sent('reboot') === 1)
  expect((await get()).status).toBe('starting')
  await plane.app.core.db.$executeRaw`update graphile_worker._private_jobs set run_at = now()
    where key = ${`phone.start:${phoneId}:${(await held()).fencingNumber}`}`
  await becomes('ready')
  release()
  expect((await ordered).status).toBe('starting')
  expect((await get()).status).toBe('ready')
  expect([sent('reboot'), sent('start')]).toEqual([1, 2])
})

it('loses a phone that does not come back in 5 minutes, and quarantines its device', async () => {
  device.onStart = () => Promise.reject(new ApiError('phone_unavailable'))
  await reboot()
  await travel(290_000)
  await new Promise((resolve) => setTimeout(resolve, 400))
  expect((await get()).status).toBe('starting')
  await travel(11_000)
  await plane.app.core.db.$executeRaw`update graphile_worker._private_jobs set run_at = now()
    where key like 'deadline:%'`
  await becomes('unavailable')
  const lost = await get()
  expect(lost.failure?.code).toBe('phone_unavailable')
  const session = (await phones().sessions(tenant.caller, phoneId, { limit: 1, cursor: null })).data[0]
  expect(session?.endReason).toBe('unavailable')
  const found = await held()
  expect([found.state, found.phoneId]).toEqual(['quarantined', phoneId])
  expect(found.reason).toContain('did not come back')

  const start = () => phones().start(tenant.caller, phoneId, { idleTimeout: null, maxDuration: null })
  expect((await refused(start())).code).toBe('phone_unavailable')
  // The operator releases the device unchanged.
  delete device.onStart
  const wipes = sent('wipe')
  await releaseHeldDevice(plane.app.core, device.serial, true)
  await eventually(async () => (await refusedOrNull(start())) === null)
  await becomes('ready')
  expect(sent('wipe')).toBe(wipes)
  expect((await get()).failure).toBeNull()
})

it('keeps a device quarantined when its phone is deleted in the meantime', async () => {
  device.onStart = () => Promise.reject(new ApiError('phone_unavailable'))
  await reboot()
  await travel(301_000)
  await plane.app.core.db.$executeRaw`update graphile_worker._private_jobs set run_at = now()
    where key like 'deadline:%'`
  await becomes('unavailable')
  await phones().delete(tenant.caller, phoneId)
  expect(await findDevice(plane.app.core.db, device.serial)).toMatchObject({
    state: 'quarantined',
    phoneId: null,
  })
})
