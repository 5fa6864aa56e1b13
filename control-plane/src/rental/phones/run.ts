/**
 * Changes of a phone that no client requests: it becomes ready or parked, times out, or is lost.
 * Called by jobs and by the host sweep.
 */
import { inRawTransaction, inTransaction } from '../../base/db/database.js'
import { type RawTx } from '../../base/db/raw-transaction.js'
import { mostFailedStarts } from '../devices/failed-starts.js'
import { isDegraded } from '../devices/failures.js'
import { startsKeepFailing } from '../devices/quarantine.js'
import { drainedSince } from '../devices/service.js'
import { type Core } from '../../base/core/core.js'
import { addingJobs } from '../../base/queue/queue.js'
import { countReady, countStartFailure, type StartKind } from '../../base/metrics/instruments.js'
import { endIfDue, endRun, type Ending } from './end.js'
import { noteFailedCreate } from './failed-create.js'
import { moveFor, type PhoneEvent } from './machine.js'
import { findPhone, lockPhone, lockRunningPhone, readPhone, type PhoneRecord } from './records.js'
import { dueJob, scheduleDue } from './start.js'

/**
 * Makes the phone ready when the device answered under this fencing number. Returns false when the number is
 * no longer the phone's number.
 */
export async function becomeReady(core: Core, phoneId: string, fencing: bigint): Promise<boolean> {
  const ready = await inRawTransaction(core.transact, async (tx) => {
    const phone = await lockRunningPhone(tx, phoneId, 'phone')
    const move = phone ? moveFor(phone.status, 'became_ready') : null
    if (!phone?.session || !move) return null
    const now = core.clock.now()
    const { readyAt, startedAt } = phone.session
    const session = { ...phone.session, readyAt: readyAt ?? now }
    const due = dueJob({ ...phone, status: move.to, lastActiveAt: now }, session)
    const [changed] = await tx.$queryRaw<{ added: number }[]>`with device as (
        update devices set grace_until = null, failed_at = null, start_failed_at = null, failed_starts = 0
        where phone_id = ${phoneId} and fencing_number = ${fencing} returning id),
      phone as (
        update phones set status = ${move.to}, has_data = true, last_active_at = ${now}, start_deadline_at = null,
          failure_code = null, failure_message = null, failure_at = null
        where id = ${phoneId} and exists (select 1 from device) returning id),
      session as (
        update sessions set ready_at = ${session.readyAt} where id = ${session.id} and exists (select 1 from phone))
      select count(*)::int as added from (select ${addingJobs([due])} from phone) jobs`
    if (!changed?.added) return null
    return { isRestart: readyAt !== null, kind: kindOf(phone), ms: now.getTime() - startedAt.getTime() }
  })
  if (!ready) return false
  if (!ready.isRestart) countReady(ready.kind, ready.ms / 1000)
  core.changes.publish(phoneId)
  return true
}

const kindOf = ({ status }: PhoneRecord): StartKind => (status === 'creating' ? 'create' : 'start')

/** Parks the phone when its device is parked, or cannot be reached and is left alone. */
export async function becomeParked(core: Core, phoneId: string): Promise<void> {
  await apply(core, phoneId, () => ({ event: 'parked', ending: {} }))
}

/**
 * Ends a start that is past its deadline: a creating phone fails, a starting one parks. A phone
 * that was ready in this session was rebooting or resetting: it is lost, and its device
 * quarantined.
 */
export async function enforceDeadline(core: Core, phoneId: string, sessionId: string): Promise<void> {
  const { lastProofAt, isHostFault, startFailedAt, failedStarts, device } = await deviceFacts(core, phoneId)
  const failsCreates = device !== null && failedStarts >= mostFailedStarts && !isHostFault
  const isBroken =
    failsCreates &&
    (await isCreateOver(core, phoneId, sessionId)) &&
    !(await noteFailedCreate(core, phoneId, device))
  const timedOut: { kind: StartKind | null } = { kind: null }
  const isEnded = await apply(core, phoneId, (phone, now) => {
    timedOut.kind = null
    if (phone.session?.id !== sessionId || phone.startDeadlineAt === null || phone.startDeadlineAt > now)
      return null
    const { readyAt } = phone.session
    if (phone.status === 'starting' && readyAt !== null) {
      const at = lastProofAt ?? now
      const began = phone.startDeadlineAt.getTime() - core.rules.restartGraceMs
      if (!isHostFault && (startFailedAt === null || startFailedAt.getTime() < began))
        return quarantined('The phone did not come back after its restart.', at)
      // The tenant does not pay for a restart that the host did not complete.
      const paidUntil = Math.max(readyAt.getTime(), Math.min(at.getTime(), began))
      return { event: 'lose', ending: { at: new Date(paidUntil) } }
    }
    timedOut.kind = kindOf(phone)
    return startTimedOut(phone, isBroken ? startsKeepFailing(failedStarts, '') : null)
  })
  if (isEnded && timedOut.kind) countStartFailure(timedOut.kind)
}

async function isCreateOver(core: Core, phoneId: string, sessionId: string): Promise<boolean> {
  const phone = await findPhone(core.db, phoneId)
  if (phone?.status !== 'creating' || phone.session?.id !== sessionId) return false
  return phone.startDeadlineAt !== null && phone.startDeadlineAt <= core.clock.now()
}

/**
 * Ends the session and leaves the device to the operator, because the phone cannot be trusted with
 * it.
 */
export async function quarantinePhoneDevice(core: Core, phoneId: string, reason: string): Promise<void> {
  await apply(core, phoneId, (_, now) => quarantined(reason, now))
}

const quarantined = (reason: string, at: Date): Applied => ({
  event: 'lose',
  ending: { at, quarantine: reason, failure: { code: 'phone_unavailable', message: reason } },
})

/**
 * `lastProofAt`: when the device was last known to be alive; null while its link is up. `isHostFault`: the
 * host takes no work, or its devices fail together, so the device is not at fault. `failedStarts`:
 * consecutive creates that failed on the device, including this create. `startFailedAt`: when the host last
 * refused a start by its own fault.
 */
async function deviceFacts(core: Core, phoneId: string) {
  const device = await core.db.device.findUnique({
    where: { phoneId },
    select: {
      linkLostAt: true,
      lastProofAt: true,
      id: true,
      startFailedAt: true,
      failedStarts: true,
      failedStartNumber: true,
      fencingNumber: true,
      host: { select: { refuses: true, degradedUntil: true } },
    },
  })
  return {
    lastProofAt: device?.linkLostAt ? (device.lastProofAt ?? device.linkLostAt) : null,
    device,
    startFailedAt: device?.startFailedAt ?? null,
    failedStarts: device && device.failedStartNumber === device.fencingNumber ? device.failedStarts : 0,
    isHostFault:
      device !== null && (device.host.refuses !== null || isDegraded(device.host, core.clock.now())),
  }
}

/** @param quarantine why the device is quarantined; null: the device is wiped */
const createFailed = (quarantine: string | null): Applied => ({
  event: 'create_failed',
  ending: {
    failure: { code: 'capacity_unavailable', message: 'No working device was found.' },
    ...(quarantine === null ? {} : { quarantine, mayBeHosts: true }),
  },
})

/**
 * Ends a create when no device is free.
 * @param quarantine as in `createFailed`
 */
export async function failCreate(
  core: Core,
  phoneId: string,
  quarantine: string | null = null,
): Promise<void> {
  if (await apply(core, phoneId, ({ status }) => (status === 'creating' ? createFailed(quarantine) : null)))
    countStartFailure('create')
}

function startTimedOut(phone: PhoneRecord, quarantine: string | null): Applied | null {
  const message = 'The phone was not ready before the timeout.'
  if (phone.status === 'creating') return createFailed(quarantine)
  if (phone.status !== 'starting') return null
  return { event: 'start_failed', ending: { failure: { code: 'provider_timeout', message } } }
}

/** Parks the phone when its idle time or duration is over; otherwise schedules the next check. */
export async function enforceDue(core: Core, phoneId: string, sessionId: string): Promise<void> {
  const parked = await inRawTransaction(core.transact, async (tx) => {
    const phone = await lockRunningPhone(tx, phoneId, 'project and phone')
    if (phone?.session?.id !== sessionId) return false
    if ((await endIfDue(tx, core.rules, phone, core.clock.now())) !== null) return true
    await scheduleDue(tx, phone, phone.session)
    return false
  })
  if (parked) core.changes.publish(phoneId)
}

/**
 * Ends the run of a phone whose device or host was unreachable for the grace period. Billing stops at the
 * last proof of life.
 * @param lastProofAt the time, or a function that reads the time under the phone's lock; null: the phone is
 * reachable again
 */
export async function loseReach(
  core: Core,
  phoneId: string,
  lastProofAt: Date | ((tx: RawTx, now: Date) => Promise<Date | null>),
): Promise<void> {
  await apply(core, phoneId, async (_, now, tx) => {
    const at = lastProofAt instanceof Date ? lastProofAt : await lastProofAt(tx, now)
    return at && { event: 'lose', ending: { at: at < now ? at : now } }
  })
}

/** The device is permanently lost. */
export async function failPhone(
  core: Core,
  phoneId: string,
  message: string,
  quarantine?: string,
): Promise<void> {
  await apply(core, phoneId, () => failed(message, quarantine))
}

/**
 * Deletes a phone that its project does not use, if `decide` still agrees under the lock of the phone.
 * @param message the phone's failure, which the project gets
 */
export async function deletePhoneFor(
  core: Core,
  phoneId: string,
  message: string,
  decide: (tx: RawTx, now: Date) => Promise<boolean>,
): Promise<void> {
  const failure = { code: 'phone_deleted', message } as const
  await apply(core, phoneId, async (_, now, tx) =>
    (await decide(tx, now)) ? { event: 'delete', ending: { failure } } : null,
  )
}

/**
 * Like `failPhone`, in the caller's transaction. Returns true when the caller must publish the
 * phone's change after the commit.
 */
export async function failPhoneIn(tx: RawTx, core: Core, phoneId: string, message: string): Promise<boolean> {
  return applyIn(tx, core, phoneId, () => failed(message))
}

const failed = (message: string, quarantine?: string): Applied => ({
  event: 'fail',
  ending: {
    failure: { code: 'phone_unavailable', message },
    ...(quarantine === undefined ? {} : { quarantine }),
  },
})

/** Parks a running phone because its project was frozen or the service paused, if that is still the case. */
export async function parkForOperator(core: Core, phoneId: string): Promise<void> {
  const parked = await inTransaction(core.db, async (tx) => {
    const phone = await lockPhone(tx, phoneId, 'project and phone')
    if (!phone) return false
    const project = await tx.project.findUniqueOrThrow({ where: { id: phone.projectId } })
    const service = await tx.serviceState.findUniqueOrThrow({ where: { id: 1 } })
    const event = project.frozenAt ? 'freeze' : service.pausedAt ? 'pause' : null
    const now = core.clock.now()
    return event !== null && endRun(tx, core.rules, phone, event, { at: now, now })
  })
  if (parked) core.changes.publish(phoneId)
}

/**
 * Ends the run of a phone whose device reached the deadline of its drain. The run ends at that deadline, or
 * at the earlier time at which it was due.
 */
export async function endDrainedRun(core: Core, phoneId: string): Promise<void> {
  const ended = await inTransaction(core.db, async (tx) => {
    const phone = await lockPhone(tx, phoneId, 'project and phone')
    const now = core.clock.now()
    const at = phone && (await drainedSince(tx, phoneId, now))
    if (!at) return false
    if ((await endIfDue(tx, core.rules, phone, at)) !== null) return true
    const message = 'The device of the phone was taken out of service for maintenance. Start the phone later.'
    return endRun(tx, core.rules, phone, 'lose', {
      at,
      now,
      parksDevice: true,
      failure: { code: 'phone_unavailable', message },
    })
  })
  if (ended) core.changes.publish(phoneId)
}

interface Applied {
  event: PhoneEvent
  ending: Partial<Ending>
}

/** Chooses what happens to a locked phone; null: nothing. */
type Decide = (phone: PhoneRecord, now: Date, tx: RawTx) => Applied | null | Promise<Applied | null>

/**
 * Locks the phone, lets `decide` choose the event, and applies the event. Returns false and does nothing when
 * the event does not apply.
 */
async function apply(core: Core, phoneId: string, decide: Decide): Promise<boolean> {
  // Read without locks first: most calls of a repeated job have nothing to do.
  if (!(await readPhone(core.read, phoneId))) return false
  const changed = await inRawTransaction(core.transact, (tx) => applyIn(tx, core, phoneId, decide))
  if (changed) core.changes.publish(phoneId)
  return changed
}

async function applyIn(tx: RawTx, core: Core, phoneId: string, decide: Decide): Promise<boolean> {
  const phone = await lockRunningPhone(tx, phoneId, 'project and phone')
  const now = core.clock.now()
  const applied = phone && (await decide(phone, now, tx))
  return applied ? endRun(tx, core.rules, phone, applied.event, { at: now, now, ...applied.ending }) : false
}
