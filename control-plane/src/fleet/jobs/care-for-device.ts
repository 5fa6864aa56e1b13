/**
 * Jobs `device.wipe` and `device.enroll`. A device becomes free only after a verified wipe. When
 * verification fails, the device is quarantined with the reason, for the operator.
 */
import { assignmentOf } from '../../rental/devices/placement.js'
import {
  type EnrollDeviceRequest,
  type EnrollDeviceResponse,
  type WipeCheck,
  type WipeDeviceRequest,
  type WipeDeviceResponse,
} from '@phonerack/proto'
import { hostFaultIn, makeStorable, Progress, shorten } from '@phonerack/shared'
import { z } from 'zod'
import { inTransaction } from '../../base/db/database.js'
import { readEpoch } from '../../base/db/epoch.js'
import { noteFailure, noteHostFault } from '../../rental/devices/failures.js'
import { isUp, type DeviceState } from '../../rental/devices/link.js'
import { identityColumns } from '../../rental/devices/identity.js'
import { cleanForNobody, reasonOf } from '../../rental/devices/quarantine.js'
import { CallFailure, callHost } from '../../links/host-calls/calls.js'
import { refusalIn, settleRefusal } from '../hosts/settle-device.js'
import { countCare, type CareKind, type CareOutcome } from '../../base/metrics/instruments.js'
import {
  placeDevice,
  type JobContext,
  type PlacedDevice,
} from '../../phone-io/device-control/placed-device.js'
import { turnMs } from '../../base/queue/host-slots.js'
import { assignmentJobKey, type JobInput, type JobPayload } from '../../base/queue/queue.js'
import { backoff, reschedule } from '../../base/queue/retry.js'
import {
  neverAnswered,
  waitsForHost,
  waitsForOthers,
  waitsForWork,
  wasInterrupted,
  wasNotAnswered,
  wasRefused,
  type CareJob,
} from './care-reasons.js'

/**
 * Refusals of the agent, and calls that reach their deadline, before a device is quarantined. While the agent
 * is unreachable, the job waits without counting.
 */
const most = { refused: 3, unanswered: 3 }
/** Milliseconds between two attempts to get a slot of the host. */
const longestTurnMs = 5000

/**
 * Milliseconds until the work on a device is repeated, if it failed together with the work on other devices
 * of its host.
 */
const togetherMs = 60_000
/** Milliseconds between two checks by a wipe whether the new host has taken over a moved device. */
const adoptionMs = 1000
/** The failed check of a device whose host agent does not answer. */
const agentCheck = 'agent'
/**
 * The failed check of a device of which the host agent has no record. Only an enrolment creates the
 * record again.
 */
const enrolmentCheck = 'enrolment'

const kinds: Record<CareJob, CareKind> = { 'device.wipe': 'wipe', 'device.enroll': 'enroll' }

interface Cared {
  verified: boolean
  checks: WipeCheck[]
  /** The revision of the agent's record; 0: the agent keeps no record. */
  revision: bigint
  /** The tenant for which the device is clean now; empty: none. */
  cleanFor: string
  /** The public key of the phone's new identity, and the agent's profile of the phone; empty: unknown. */
  identity: string
  profileJson: string
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
      { assignment: assignmentOf(phoneId, device, '') },
      Progress.for(context.core.rules.careDeadlineMs, context.stopping),
    ),
  )
  if (outcome) await conclude(context, 'device.wipe', payload, device, outcome)
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
      Progress.for(context.core.rules.careDeadlineMs, context.stopping),
    ),
  )
  if (outcome) await conclude(context, 'device.enroll', payload, device, outcome)
}

async function deviceInCare(
  context: JobContext,
  payload: { deviceId: string; fencing: string },
  state: DeviceState,
): Promise<PlacedDevice | null> {
  const device = await placeDevice(context, { id: payload.deviceId })
  return device?.state === state && device.fencingNumber.toString() === payload.fencing ? device : null
}

/** The agent's verdict; null when the job was postponed. */
async function tryCare<N extends CareJob>(
  context: JobContext,
  name: N,
  payload: JobPayload<CareJob> & JobInput<N>,
  device: PlacedDevice,
  call: (connection: NonNullable<PlacedDevice['connection']>) => Promise<Cared>,
): Promise<Cared | null> {
  const retry = async (change: Partial<JobPayload<CareJob>>, ms: number): Promise<null> => {
    const key = assignmentJobKey(name, device.id, payload.fencing)
    await reschedule(context, name, { ...payload, ...change }, ms, { key })
    return null
  }
  const { connection } = device
  // The agent wipes no phone before taking it over.
  if (device.adoptingSince) return retry({}, adoptionMs)
  try {
    if (!connection) throw CallFailure.notSent('the host is unreachable')
    const outcome = await context.slots.run(device.hostId, 'long', () => call(connection))
    if (outcome !== 'turn') return outcome
    return await retry({ turns: payload.turns + 1 }, turnMs(payload.turns, longestTurnMs))
  } catch (error) {
    if (!(error instanceof CallFailure)) throw error
    context.core.log.warn(
      { device: device.id, job: name, err: error, attempt: payload.attempt },
      'the wipe or enrolment of a device failed',
    )
    const deadlineMs = context.core.rules.careDeadlineMs
    const fault = hostFaultIn(error.answer?.details)
    const refusal = refusalIn(error.answer?.details)
    const isRefused =
      refusal !== null || error.isHostFault || (error.answer !== null && !error.answer.retryable)
    const isUnanswered = error.timedOut && !isRefused
    countCare(kinds[name], failureOf(error, isRefused))
    const refused = payload.refused + (isRefused ? 1 : 0)
    const unanswered = payload.unanswered + (isUnanswered ? 1 : 0)
    const ms = backoff(isRefused ? refused : payload.attempt, 1000, 30_000)
    // A host may refuse forever, so each refusal counts, even under the next number.
    if (refusal && refused < most.refused) {
      // The first refusal is usually correct, because the database is behind its agent. Retry immediately.
      const when =
        refused > 1 ? { runAt: new Date(context.core.clock.now().getTime() + ms * context.core.pace) } : {}
      const retry = { refused, unanswered, ...when }
      if (await settleRefusal(context.core, device.id, device.fencingNumber, refusal, retry)) return null
    }
    if (
      name === 'device.wipe' &&
      isRefused &&
      refusal === null &&
      isUnenrolled(device, error.answer?.details)
    )
      return notVerified(error.message, enrolmentCheck)
    if (isRefused && refused >= most.refused) return notVerified(error.message)
    if (isUnanswered && unanswered >= most.unanswered)
      return notVerified(neverAnswered(name, unanswered, deadlineMs))
    if (isRefused) await note(context, device, wasRefused(name, refused, most.refused, error.message))
    else if (isUnanswered)
      await note(context, device, wasNotAnswered(name, unanswered, most.unanswered, deadlineMs))
    else if (fault !== null) {
      if (fault !== 'stopping') await noteHostFault(context.core.db, device, 'care', context.core.clock.now())
      await note(context, device, waitsForWork(name, error.message))
    } else if (!error.sent) await note(context, device, waitsForHost(name))
    else if (!context.stopping.aborted) await note(context, device, wasInterrupted(name, error.message))
    return retry({ attempt: payload.attempt + 1, refused, unanswered, turns: 0 }, ms)
  }
}

/** The outcome of a failed attempt, for metrics. */
function failureOf(error: CallFailure, isRefused: boolean): CareOutcome {
  if (isRefused) return 'refused'
  if (error.timedOut) return 'unanswered'
  return error.sent ? 'interrupted' : 'unreachable'
}

const notVerified = (evidence: string, check = agentCheck): Cared => ({
  verified: false,
  revision: 0n,
  cleanFor: '',
  identity: '',
  profileJson: '',
  checks: [{ name: check, passed: false, evidence }],
})

/**
 * Whether the agent refused because it has no record of the device, or because another phone is connected in
 * the device's place. Such a refusal says nothing about other devices. Earlier agents only report the link.
 */
const isUnenrolled = ({ link }: PlacedDevice, details: unknown): boolean =>
  link === 'unenrolled' || notEnrolledSchema.safeParse(details).success

const notEnrolledSchema = z.object({ reason: z.literal('not_enrolled') })

/** Shows the operator why the job takes long, until the verdict replaces it. */
async function note({ core }: JobContext, device: PlacedDevice, reason: string): Promise<void> {
  const { id, state, fencingNumber } = device
  await core.db.device.updateMany({ where: { id, state, fencingNumber }, data: { reason } })
}

async function conclude<N extends CareJob>(
  context: JobContext,
  name: N,
  payload: JobPayload<CareJob> & JobInput<N>,
  device: PlacedDevice,
  outcome: Cared,
): Promise<void> {
  const { core } = context
  const now = core.clock.now()
  const checks = outcome.checks.map(storableCheck)
  const failed = checks.filter((check) => !check.passed)
  const knowsCustody = outcome.revision > 0n
  // Without this test, a device that is clean for no tenant would be free, and wiped in a loop.
  const freesNobody = knowsCustody && outcome.verified && failed.length === 0 && outcome.cleanFor === ''
  const verified = outcome.verified && failed.length === 0 && !freesNobody
  // Only a failure of the agent itself can be the host's fault. A failed check is the phone's fault.
  const mayBeHosts = failed.length > 0 && failed.every((check) => check.name === agentCheck)
  if (
    mayBeHosts &&
    (await inTransaction(core.db, (tx) => noteFailure(tx, device, 'care', now, core.rules.degraded)))
  ) {
    await note(context, device, waitsForOthers(name, reasonOf(failed)))
    const again = { ...payload, attempt: payload.attempt + 1, refused: 0, unanswered: 0, turns: 0 }
    const key = assignmentJobKey(name, device.id, payload.fencing)
    return reschedule(context, name, again, togetherMs, { key })
  }
  const known = verified ? await identityColumns(core.db, device.id, outcome) : {}
  const epoch = verified && knowsCustody ? await readEpoch(core.db) : null
  const { count } = await core.db.device.updateMany({
    where: { id: device.id, state: device.state, fencingNumber: device.fencingNumber },
    data: {
      state: verified ? (isUp(device.link) ? 'free' : 'offline') : 'quarantined',
      reason: verified ? null : freesNobody ? cleanForNobody : reasonOf(failed),
      confirmedEpoch: epoch,
      cleanFor: verified ? outcome.cleanFor : '',
      ...(knowsCustody ? { custodyRevision: outcome.revision } : {}),
      wipeChecks: checks,
      ...(outcome.capabilities ? { capabilities: outcome.capabilities.map((found) => ({ ...found })) } : {}),
      ...(mayBeHosts ? {} : { failedAt: null }),
      // A wipe clears no failed start, since hosts that refuse starts often still wipe. A failed check of the
      // phone stays when its host is degraded.
      ...(mayBeHosts || (verified && name === 'device.wipe') ? {} : { startFailedAt: null }),
      ...known,
      ...(verified ? { freedAt: now, enrolledAt: device.enrolledAt ?? now } : {}),
    },
  })
  if (count === 0) return
  countCare(device.state === 'wiping' ? 'wipe' : 'enroll', verified ? 'verified' : 'not_verified')
  core.log.info(
    { audit: 'device.cared_for', device: device.id, after: device.state, verified },
    'a device was verified',
  )
}

/** Evidence quotes the phone, and may contain any text that a tenant left there. */
const storableCheck = ({ name, passed, evidence }: WipeCheck) => ({
  name: shorten(makeStorable(name), 100),
  passed,
  evidence: shorten(makeStorable(evidence), 2000),
})
