// Reboot and reset over real Postgres, broker and gRPC; the agent is a double.
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { ApiError } from '@phonerack/shared'
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
const reset = () => power().reset(tenant.caller, phoneId, context)
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

it('reboots a phone once in 10 minutes, within its session [4.15, 20.27]', async () => {
  const before = await get()
  const rebooting = await reboot()
  expect(rebooting.status).toBe('starting')
  expect(rebooting.session?.id).toBe(before.session?.id)
  expect(rebooting.session?.parkReason).toBe('max_duration')
  await becomes('ready')
  expect([sent('reboot'), sent('start')]).toEqual([1, 2])
  expect((await get()).session?.readyAt).toEqual(before.session?.readyAt)
  expect((await held()).graceUntil).toBeNull()

  const error = await refused(reboot())
  expect(error.code).toBe('rate_limited')
  expect(error.retryAfterSeconds).toBeGreaterThan(590)
  expect(error.details['retry_after_seconds']).toBe(error.retryAfterSeconds)
  expect((await get()).status).toBe('ready')

  await travel(595_000)
  expect((await refused(reboot())).code).toBe('rate_limited')
  await travel(6000)
  await reboot()
  await becomes('ready')
})

it('allows one of two concurrent reboots', async () => {
  const codes = await Promise.all([reboot(), reboot()].map((each) => each.then(() => null, codeOf)))
  expect(codes.filter((code) => code === null)).toHaveLength(1)
  expect(codes.filter((code) => code === 'phone_starting' || code === 'rate_limited')).toHaveLength(1)
  await becomes('ready')
  expect(sent('reboot')).toBe(1)
})

const codeOf = (reason: unknown) => (reason instanceof ApiError ? reason.code : String(reason))

it('keeps the allowance when the phone refuses a reboot, and is ready again [23.64, 35.31]', async () => {
  agent.onCall = () => Promise.reject(new ApiError('provider_error', { message: 'The phone refused.' }))
  expect((await refused(reboot())).code).toBe('provider_error')
  await becomes('ready')
  agent.onCall = () => Promise.resolve()
  expect((await reboot()).status).toBe('starting')
  await becomes('ready')
  expect(sent('reboot')).toBe(2)
})

it('reports the outcome of an unconfirmed reboot as unknown, uses the allowance and recovers the phone [35.32]', async () => {
  agent.onCall = () => Promise.reject(new Error('gone'))
  const error = await refused(reboot())
  expect(error.code).toBe('action_outcome_unknown')
  expect(error.next).toBe(`GET /v1/phones/${phoneId}?wait=ready`)
  await becomes('ready')
  expect((await refused(reboot())).code).toBe('rate_limited')
  expect(sent('reboot')).toBe(1)
})

it('resets a phone within its session, once a minute, and is ready only after the verified wipe [4.16, 20.28, 23.21, 35.36]', async () => {
  let release: () => void = () => undefined
  device.onWipe = () => new Promise((resolve) => (release = resolve))
  const before = await get()
  const resetting = await reset()
  expect([resetting.status, resetting.session?.id]).toEqual(['starting', before.session?.id])
  await eventually(() => sent('wipe') === 1)
  expect((await refused(reset())).code).toBe('phone_starting')
  expect(sent('start')).toBe(1)
  release()
  await becomes('ready')
  expect([sent('wipe'), sent('start')]).toEqual([1, 2])
  const error = await refused(reset())
  expect([error.code, (error.retryAfterSeconds ?? 0) > 50]).toEqual(['rate_limited', true])
  delete device.onWipe
  await travel(61_000)
  await reset()
  await becomes('ready')
  expect(sent('wipe')).toBe(2)
})

it('completes a reset that a park interrupted at the next start', async () => {
  device.onWipe = () => Promise.reject(new ApiError('phone_unavailable'))
  await reset()
  await eventually(() => sent('wipe') >= 1)
  await phones().park(tenant.caller, phoneId)
  await becomes('parked')
  const failed = sent('wipe')
  delete device.onWipe
  await phones().start(tenant.caller, phoneId, { idleTimeout: null, maxDuration: null })
  await becomes('ready')
  expect(sent('wipe')).toBe(failed + 1)
})

it('quarantines a device whose reset could not be verified', async () => {
  device.wipeChecks = [{ name: 'accounts', passed: false, evidence: 'one is left: a\0b' }]
  await reset()
  await becomes('unavailable')
  expect((await held()).reason).toContain('accounts: one is left: a\uFFFDb')
  expect(sent('start')).toBe(1)
})

it('refuses an unsupported reset before anything is done [4.18, 35.38]', async () => {
  await plane.app.core.db
    .$executeRaw`update devices set capabilities = '[{"name":"wipe","implementation":"","evidence":""}]'`
  const error = await refused(reset())
  expect([error.code, error.details['feature']]).toEqual(['feature_unavailable', 'reset'])
  expect([(await get()).status, sent('wipe')]).toEqual(['ready', 0])
  await plane.app.core.db
    .$executeRaw`update devices set capabilities = '[{"name":"wipe","implementation":"double","evidence":""}]'`
})
