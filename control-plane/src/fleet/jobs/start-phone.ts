/**
 * Job `phone.start`: asks the agent to make the phone ready, and retries until the phone's
 * deadline, for a new phone also with another device. Safe to run twice: the agent and the tables
 * both check the fencing number.
 */
import { assignmentOf } from '../../rental/devices/placement.js'
import { reasonOf, startsKeepFailing } from '../../rental/devices/quarantine.js'
import {
  type StartPhoneRequest,
  type StartPhoneResponse,
  type WipeDeviceRequest,
  type WipeDeviceResponse,
} from '@phonerack/proto'
import { hostFaultIn, Progress } from '@phonerack/shared'
import { inTransaction, type Tx } from '../../base/db/database.js'
import { deviceOf } from '../../rental/devices/assignment.js'
import { countFailedStart, failedStartsOf, mostFailedStarts } from '../../rental/devices/failed-starts.js'
import { keepIdentity } from '../../rental/devices/identity.js'
import { noteHostFault } from '../../rental/devices/failures.js'
import { CallFailure, callHost } from '../../links/host-calls/calls.js'
import { refusalIn, settleRefusal, type Refusal } from '../hosts/settle-device.js'
import { giveAnotherDevice } from '../../rental/phones/another-device.js'
import { noteFailedCreate } from '../../rental/phones/failed-create.js'
import { lockPhone, readPhone, type PhoneRecord } from '../../rental/phones/records.js'
import { resetDone } from '../../rental/phones/restart.js'
import { becomeReady, failCreate, quarantinePhoneDevice } from '../../rental/phones/run.js'
import {
  placeDevice,
  type JobContext,
  type PlacedDevice,
} from '../../phone-io/device-control/placed-device.js'
import { turnMs } from '../../base/queue/host-slots.js'
import { assignmentJobKey, type JobPayload } from '../../base/queue/queue.js'
import { backoff, reschedule } from '../../base/queue/retry.js'

/** Milliseconds per try. */
const tryMs = 45_000
/**
 * The share of `tryMs` after which a failed try counts against the phone. A try that the create's deadline cut off earlier
 * does not show that the phone is at fault.
 */
const fairShare = 0.5
/** Milliseconds before a deadline in which the agent may answer that its time is over. */
const answerMs = 1000
/** Tries with one device before a new phone gets another device. */
const triesPerDevice = 3
/** Milliseconds between two attempts to get a slot of the host. */
const longestTurnMs = 1000

type Payload = JobPayload<'phone.start'>

export async function startPhoneJob(context: JobContext, payload: Payload): Promise<void> {
  const { core } = context
  // Read the phone before the device: another run of this job may end the reset, and the device must then not
  // count as a device with data.
  const phone = await readPhone(core.read, payload.phoneId)
  const remaining = timeLeft(context, phone)
  if (!phone || remaining <= 0) return
  const isReset = phone.resetPending
  const device = await placeDevice(context, { phoneId: phone.id })
  if (device?.fencingNumber.toString() !== payload.fencing) return
  try {
    const outcome = await context.slots.run(device.hostId, isReset ? 'long' : 'short', async () => {
      if (isReset && !(await reset(context, phone.id, device, remaining))) return 'held back'
      const placed = isReset ? { ...device, hasData: false } : device
      await callStart(context, phone.id, placed, Math.min(tryMs, remaining))
      return 'started'
    })
    if (outcome === 'turn') return await putOff(context, phone, payload)
    if (outcome === 'held back') return
  } catch (error) {
    if (!(error instanceof CallFailure)) throw error
    core.log.warn(
      { phone: phone.id, device: device.id, err: error, attempt: payload.attempt },
      'a phone failed to start',
    )
    const refusal = refusalIn(error.answer?.details)
    if (refusal && isSettledImmediately(phone, payload, refusal)) {
      await settleRefusal(core, device.id, device.fencingNumber, refusal)
      return
    }
    const fairMs = fairShare * Math.min(tryMs, core.rules.createDeadlineMs)
    // The deadline job ends the create.
    if (phone.status === 'creating' && remaining < fairMs && timeLeft(context, phone) < answerMs) return
    return afterFailure(context, phone, payload, device, error)
  }
  await becomeReady(core, phone.id, device.fencingNumber)
}

/**
 * Whether a refusal is final: the fencing number is too low, data is lost, or the device of a new phone is not clean. After
 * other refusals of a phone that ran before, the job waits some tries for the next heartbeat, which has more information.
 */
const isSettledImmediately = (phone: PhoneRecord, { attempt }: Payload, { reason }: Refusal): boolean =>
  reason === 'old_number' ||
  reason === 'number_taken' ||
  reason === 'data_wiped' ||
  phone.status === 'creating' ||
  attempt >= triesPerDevice

function timeLeft({ core }: JobContext, phone: PhoneRecord | null): number {
  if (!phone?.startDeadlineAt || (phone.status !== 'creating' && phone.status !== 'starting')) return 0
  return phone.startDeadlineAt.getTime() - core.clock.now().getTime()
}

/**
 * Wipes the phone for an ordered reset. For a repeat under the same number, the agent returns the result of
 * the first wipe, so a job that runs twice wipes once. Returns false when the phone must not start.
 */
async function reset(
  context: JobContext,
  phoneId: string,
  device: PlacedDevice,
  ms: number,
): Promise<boolean> {
  if (!device.connection) throw CallFailure.notSent('the host is unreachable')
  const { verified, checks, ...answer } = await callHost<WipeDeviceRequest, WipeDeviceResponse>(
    device.connection,
    (client, ...rest) => client.wipeDevice(...rest),
    { assignment: assignmentOf(phoneId, device, '') },
    Progress.for(ms, context.stopping),
  )
  const failed = checks.filter((check) => !check.passed)
  if (verified && failed.length === 0) {
    await keepIdentity(context.core.db, device, answer)
    return resetDone(context.core, phoneId, device.fencingNumber)
  }
  await quarantinePhoneDevice(context.core, phoneId, `Its reset could not be verified: ${reasonOf(failed)}`)
  return false
}

async function callStart(
  context: JobContext,
  phoneId: string,
  device: PlacedDevice,
  ms: number,
): Promise<void> {
  if (!device.connection) throw CallFailure.notSent('the host is unreachable')
  await callHost<StartPhoneRequest, StartPhoneResponse>(
    device.connection,
    (client, ...rest) => client.startPhone(...rest),
    { assignment: assignmentOf(phoneId, device, '') },
    Progress.for(ms, context.stopping),
  )
}

/** Reschedules the same attempt, since the phone's host has no free slot. */
async function putOff(context: JobContext, phone: PhoneRecord, payload: Payload): Promise<void> {
  const ms = Math.min(turnMs(payload.turns, longestTurnMs), timeLeft(context, phone))
  await reschedule(context, 'phone.start', { ...payload, turns: payload.turns + 1 }, ms, {
    key: assignmentJobKey('phone.start', phone.id, payload.fencing),
  })
}

async function afterFailure(
  context: JobContext,
  phone: PhoneRecord,
  payload: Payload,
  device: PlacedDevice,
  failure: CallFailure,
): Promise<void> {
  const { attempt } = payload
  const fault = hostFaultIn(failure.answer?.details)
  const isOwnFault = fault !== null && fault !== 'stopping'
  const { db, clock } = context.core
  if (isOwnFault) await noteHostFault(db, device, 'start', clock.now())
  const failedTries = payload.failedTries + (isPhonesFault(failure) ? 1 : 0)
  const isBad = failure.answer !== null && !failure.answer.retryable
  if (phone.status === 'creating' && fault !== null) {
    // The device is not at fault: its host refuses. A new phone gets a device of another host.
    const refusedBy = isOwnFault ? [...payload.refusedBy, device.hostId] : payload.refusedBy
    const hosts = { except: [...refusedBy, device.hostId], refusedBy }
    if (await changeDevice(context, phone.id, payload.fencing, null, hosts)) return
    if (isOwnFault && attempt >= triesPerDevice) return failCreate(context.core, phone.id)
  } else if (phone.status === 'creating') {
    if (isPhonesFault(failure)) await countFailedStart(db, device, clock.now())
    const isTried = attempt >= triesPerDevice
    if (isBad || isTried) {
      const failed = isTried ? await failedStartsOf(db, device) : 0
      const repeated = failed >= mostFailedStarts ? startsKeepFailing(failed, failure.message) : null
      const reason = isBad ? `could not be started: ${failure.message}` : repeated
      const counts = reason !== null || failedTries >= triesPerDevice
      const isShared = counts && (await noteFailedCreate(context.core, phone.id, device))
      const { refusedBy } = payload
      const hosts = { except: isShared ? [...refusedBy, device.hostId] : refusedBy, refusedBy }
      if (await changeDevice(context, phone.id, payload.fencing, isShared ? null : reason, hosts)) return
      if (repeated !== null && !isShared) return giveUp(context, phone, payload, repeated)
    }
  }
  const ms = Math.min(backoff(attempt, 250, 4000), timeLeft(context, phone))
  await reschedule(context, 'phone.start', { ...payload, attempt: attempt + 1, failedTries }, ms, {
    key: assignmentJobKey('phone.start', phone.id, payload.fencing),
  })
}

/**
 * Whether the agent answered that the phone failed, or did not answer before the deadline. Refusals of
 * numbers and faults of the host do not count.
 */
const isPhonesFault = ({ answer, timedOut, isHostFault }: CallFailure): boolean =>
  !isHostFault &&
  (answer === null ? timedOut : hostFaultIn(answer.details) === null && refusalIn(answer.details) === null)

/** Ends a create and quarantines its device, which failed too often, when no other device is free. */
async function giveUp(
  { core }: JobContext,
  phone: PhoneRecord,
  { fencing }: Payload,
  reason: string,
): Promise<void> {
  if ((await deviceOf(core.db, phone.id))?.fencingNumber.toString() === fencing)
    await failCreate(core, phone.id, reason)
}

/** Like `giveAnotherDevice`, but does nothing when the phone has changed in the meantime. */
const changeDevice = (
  { core }: JobContext,
  phoneId: string,
  fencing: string,
  reason: string | null,
  hosts: { except: readonly string[]; refusedBy: readonly string[] },
): Promise<boolean> =>
  inTransaction(core.db, async (tx: Tx) => {
    const phone = await lockPhone(tx, phoneId, 'phone')
    if (phone?.status !== 'creating' || (await deviceOf(tx, phoneId))?.fencingNumber.toString() !== fencing)
      return true
    return giveAnotherDevice(tx, core, phone, reason, hosts)
  })
