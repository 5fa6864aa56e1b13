/**
 * Jobs `device.wipe` and `device.enroll`: a device is free only after a wipe that was verified on it; what
 * could not be verified is quarantined for the operator, with the reason.
 */
import {
  type EnrollDeviceRequest,
  type EnrollDeviceResponse,
  type WipeCheck,
  type WipeDeviceRequest,
  type WipeDeviceResponse,
} from '@phonerack/proto'
import { makeStorable, Progress, shorten } from '@phonerack/shared'
import { readEpoch } from '../db/epoch.js'
import { isUp, type DeviceState } from '../devices/link.js'
import { cleanForNobody, reasonLength, reasonOf } from '../devices/quarantine.js'
import { CallFailure, callHost } from '../host-calls/calls.js'
import { refusalIn, settleRefusal } from '../hosts/settle-device.js'
import {
  assignmentFor,
  placeDevice,
  type JobContext,
  type PlacedDevice,
} from '../device-control/placed-device.js'
import { turnMs } from '../queue/host-slots.js'
import { careKey, type JobInput, type JobPayload } from '../queue/queue.js'
import { backoff, later } from '../queue/retry.js'

/** Milliseconds that a wipe or an enrolment may take. */
const careMs = 300_000
/** Refusals of the agent before a device is quarantined; an agent out of reach is waited for. */
const refusals = 3
/** Milliseconds between two looks for a slot of the host. */
const longestTurnMs = 5000

interface Cared {
  verified: boolean
  checks: WipeCheck[]
  /** Of the agent's record; 0: it keeps none. */
  revision: bigint
  /** For whom the device is clean now; empty: nobody. */
  cleanFor: string
  capabilities?: { name: string; implementation: string; evidence: string }[]
}

export async function wipeDeviceJob(context: JobContext, payload: JobPayload<'device.wipe'>): Promise<void> {
  const device = await deviceInCare(context, payload, 'wiping')
  if (!device) return
  const { phoneId } = payload
  const outcome = await tryCare(context, 'device.wipe', payload, device, (connection) =>
    callHost<WipeDeviceRequest, WipeDeviceResponse>(
      connection,
      (client, ...rest) => client.wipeDevice(...rest),
      { assignment: assignmentFor(device, phoneId) },
      Progress.for(careMs, context.stopping),
    ),
  )
  if (outcome) await conclude(context, device, 'wiping', outcome)
}

export async function enrollDeviceJob(
  context: JobContext,
  payload: JobPayload<'device.enroll'>,
): Promise<void> {
  const device = await deviceInCare(context, payload, 'provisioning')
  if (!device) return
  const outcome = await tryCare(context, 'device.enroll', payload, device, (connection) =>
    callHost<EnrollDeviceRequest, EnrollDeviceResponse>(
      connection,
      (client, ...rest) => client.enrollDevice(...rest),
      { serial: device.serial, fencingNumber: device.fencingNumber },
      Progress.for(careMs, context.stopping),
    ),
  )
  if (outcome) await conclude(context, device, 'provisioning', outcome)
}

async function deviceInCare(
  context: JobContext,
  payload: { deviceId: string; fencing: string },
  state: DeviceState,
): Promise<PlacedDevice | null> {
  const device = await placeDevice(context, { id: payload.deviceId })
  return device?.state === state && device.fencingNumber.toString() === payload.fencing ? device : null
}

/** The agent's verdict; null when the job was put off. */
async function tryCare<N extends 'device.wipe' | 'device.enroll'>(
  context: JobContext,
  name: N,
  payload: JobPayload<'device.wipe' | 'device.enroll'> & JobInput<N>,
  device: PlacedDevice,
  call: (connection: NonNullable<PlacedDevice['connection']>) => Promise<Cared>,
): Promise<Cared | null> {
  try {
    if (!device.connection) throw new CallFailure(false, null, false, 'the host is unreachable')
    const { connection } = device
    const outcome = await context.slots.run(device.hostId, 'long', () => call(connection))
    if (outcome !== 'turn') return outcome
    await later(
      context,
      name,
      { ...payload, turns: payload.turns + 1 },
      turnMs(payload.turns, longestTurnMs),
      {
        key: careKey(name, device.id, payload.fencing),
      },
    )
    return null
  } catch (error) {
    if (!(error instanceof CallFailure)) throw error
    context.core.log.warn(
      { device: device.id, job: name, err: error, attempt: payload.attempt },
      'the wipe or enrolment of a device failed',
    )
    const refusal = refusalIn(error.answer?.details)
    const isRefused =
      refusal !== null || error.isHostFault || (error.answer !== null && !error.answer.retryable)
    const refused = payload.refused + (isRefused ? 1 : 0)
    const ms = backoff(isRefused ? refused : payload.attempt, 1000, 30_000)
    // A host may refuse for ever: each refusal counts, also under the next number.
    if (refusal && refused < refusals) {
      // The first one is most often true: the database is behind its agent.
      const when = refused > 1 ? { runAt: new Date(context.core.clock.now().getTime() + ms) } : {}
      const again = { refused, ...when }
      if (await settleRefusal(context.core, device.id, device.fencingNumber, refusal, again)) return null
    }
    if (isRefused && refused >= refusals) {
      const checks = [{ name: 'agent', passed: false, evidence: error.message }]
      return { verified: false, checks, revision: 0n, cleanFor: '' }
    }
    if (isRefused) await noteRefusal(context, device, `try ${refused} of ${refusals}: ${error.message}`)
    await later(context, name, { ...payload, attempt: payload.attempt + 1, refused, turns: 0 }, ms, {
      key: careKey(name, device.id, payload.fencing),
    })
    return null
  }
}

/** The operator sees why it takes long; a verdict replaces it. */
async function noteRefusal({ core }: JobContext, device: PlacedDevice, reason: string): Promise<void> {
  const { id, state, fencingNumber } = device
  await core.db.device.updateMany({
    where: { id, state, fencingNumber },
    data: { reason: shorten(makeStorable(reason), reasonLength) },
  })
}

async function conclude(
  { core }: JobContext,
  device: PlacedDevice,
  from: DeviceState,
  outcome: Cared,
): Promise<void> {
  const now = core.clock.now()
  const checks = outcome.checks.map(storableCheck)
  const failed = checks.filter((check) => !check.passed)
  const knowsCustody = outcome.revision > 0n
  // Else it would be free for nobody, and wiped again and again.
  const freesNobody = knowsCustody && outcome.verified && failed.length === 0 && outcome.cleanFor === ''
  const verified = outcome.verified && failed.length === 0 && !freesNobody
  const epoch = verified && knowsCustody ? await readEpoch(core.db) : null
  const { count } = await core.db.device.updateMany({
    where: { id: device.id, state: from, fencingNumber: device.fencingNumber },
    data: {
      state: verified ? (isUp(device.link) ? 'free' : 'offline') : 'quarantined',
      reason: verified ? null : freesNobody ? cleanForNobody : reasonOf(failed),
      confirmedEpoch: epoch,
      cleanFor: verified ? outcome.cleanFor : '',
      ...(knowsCustody ? { custodyRevision: outcome.revision } : {}),
      wipeChecks: checks,
      ...(outcome.capabilities ? { capabilities: outcome.capabilities.map((found) => ({ ...found })) } : {}),
      ...(verified ? { freedAt: now, enrolledAt: device.enrolledAt ?? now } : {}),
    },
  })
  if (count > 0)
    core.log.info(
      { audit: 'device.cared_for', device: device.id, after: from, verified },
      'a device was verified',
    )
}

/** Evidence quotes the phone, and so whatever a tenant left on it. */
const storableCheck = ({ name, passed, evidence }: WipeCheck) => ({
  name: shorten(makeStorable(name), 100),
  passed,
  evidence: shorten(makeStorable(evidence), 2000),
})
