/**
 * Ends a phone's run for every cause: moves the state machine, charges and releases the session,
 * and decides what happens to the device, in the caller's transaction. The caller holds the locks
 * of project and phone.
 */
import { type ErrorCode } from '@phonerack/shared'
import { closeSession } from '../billing/ledger.js'
import { type Rules } from '../../base/config/config.js'
import { type RawTx } from '../../base/db/raw-transaction.js'
import { quarantineDevice, raiseFencing, releaseDevice } from '../devices/assignment.js'
import { addJob, assignmentJobKey } from '../../base/queue/queue.js'
import { moveFor, type PhoneEvent } from './machine.js'
import { parkTimeOf, type PhoneRecord } from './records.js'
import { type PhoneStatus } from '../../base/core/statuses.js'

export interface Ending {
  /** When billing stops, unless the session was due to end earlier. */
  at: Date
  /** The current time. Differs from `at` when the end is noticed later. */
  now: Date
  failure?: { code: ErrorCode; message: string }
  /** Quarantines the device with this reason instead of wiping it. */
  quarantine?: string
  /**
   * The host may have caused the quarantine, which is then taken back if other devices of the host fail too.
   */
  mayBeHosts?: boolean
  /** Asks the agent to park the device of a phone that becomes unavailable. */
  parksDevice?: boolean
}

/**
 * Applies `event` to the phone. Returns false and changes nothing when it does not apply in the
 * phone's status.
 */
export async function endRun(
  tx: RawTx,
  rules: Rules,
  phone: PhoneRecord,
  event: PhoneEvent,
  ending: Ending,
): Promise<boolean> {
  const move = moveFor(phone.status, event, phone.onIdle)
  if (!move) return false
  if (phone.session && move.endReason) {
    const session = { ...phone.session, projectId: phone.projectId }
    // Billing stops when the session was due, even if a job notices the end later.
    const due = parkTimeOf(phone, phone.session).at
    const at = new Date(Math.min(ending.at.getTime(), due))
    await closeSession(tx, rules, session, { reason: move.endReason, at })
  }
  const { code = null, message = null } = ending.failure ?? {}
  await tx.$executeRaw`update phones set status = ${move.to}, start_deadline_at = null,
      deleted_at = case when ${move.to === 'deleted'}::boolean then ${ending.now}::timestamptz else deleted_at end,
      failure_code = coalesce(${code}::text, failure_code),
      failure_message = coalesce(${message}::text, failure_message),
      failure_at = case when ${code}::text is null then failure_at else ${ending.now}::timestamptz end
    where id = ${phone.id}`
  await settleDevice(tx, phone.id, move.to, ending)
  return true
}

/**
 * Parks or deletes a phone whose idle time or duration is over at `now`, as of the time when it was over.
 * Returns the phone's new status; null when neither is over.
 */
export async function endIfDue(
  tx: RawTx,
  rules: Rules,
  phone: PhoneRecord,
  now: Date,
): Promise<PhoneStatus | null> {
  const park = phone.session && parkTimeOf(phone, phone.session)
  if (!park || park.at > now.getTime()) return null
  await endRun(tx, rules, phone, park.reason, { at: new Date(park.at), now })
  return moveFor(phone.status, park.reason, phone.onIdle)?.to ?? null
}

async function settleDevice(
  tx: RawTx,
  phoneId: string,
  to: PhoneStatus,
  { quarantine, mayBeHosts, parksDevice }: Ending,
): Promise<void> {
  // The operator decides about any other quarantine that ends a run, even if the host is degraded.
  if (quarantine !== undefined && mayBeHosts !== true)
    await tx.$executeRaw`update devices set failed_at = null, start_failed_at = null where phone_id = ${phoneId}`
  if (to === 'deleted' || to === 'failed') {
    if (quarantine === undefined) await releaseDevice(tx, phoneId)
    else await quarantineDevice(tx, phoneId, quarantine, { keepsClaim: false })
    return
  }
  if (to === 'unavailable' && quarantine !== undefined) {
    await quarantineDevice(tx, phoneId, quarantine, { keepsClaim: true })
    return
  }
  const device = await raiseFencing(tx, phoneId)
  if (to !== 'parking' && parksDevice !== true) return
  const fencing = (device?.fencingNumber ?? 0n).toString()
  await addJob(
    tx,
    'phone.park',
    { phoneId, fencing },
    { key: assignmentJobKey('phone.park', phoneId, fencing) },
  )
}
