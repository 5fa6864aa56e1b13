/** Starts a parked or unavailable phone, or renews the session of a running phone. */
import { ApiError, limits } from '@phonerack/shared'
import { countsOf, lockOwnerAndProject, readUsageAndPause } from '../billing/account.js'
import { admitStart } from '../billing/admission.js'
import { countAdmission } from '../billing/lifecycle-limit.js'
import { holdCredit } from '../billing/ledger.js'
import { type RawTx } from '../../base/db/raw-transaction.js'
import { inRawTenantTransaction } from '../../base/core/tenant-transaction.js'
import { raiseFencing } from '../devices/assignment.js'
import { reachOf } from '../devices/reach.js'
import { lockInService } from '../devices/service.js'
import { addJobs, newJob, type NewJob } from '../../base/queue/queue.js'
import { permitted } from './access.js'
import { startConflict } from './conflicts.js'
import { type Core } from '../../base/core/core.js'
import { endIfDue } from './end.js'
import { isRunning, moveFor } from './machine.js'
import { openSession } from './open-session.js'
import { refuse, settle, type Outcome } from './outcome.js'
import { hostRefusesWork } from './target.js'
import { findPhone, lockPhone, parkTimeOf, viewOf, type PhoneRecord, type SessionRecord } from './records.js'
import { renewedDuration } from './timing.js'
import { type Caller } from '../../base/core/caller.js'
import { type PhoneView } from './types.js'

interface StartInput {
  idleTimeout: number | null
  maxDuration: number | null
}

export async function startPhone(
  core: Core,
  caller: Caller,
  phoneId: string,
  input: StartInput,
): Promise<PhoneView> {
  const outcome = await inRawTenantTransaction(core, caller, (tx) =>
    attempt(core, tx, caller, phoneId, input),
  )
  // A refused request may also have ended a session.
  core.changes.publish(phoneId)
  return settle(outcome)
}

async function attempt(
  core: Core,
  tx: RawTx,
  caller: Caller,
  phoneId: string,
  input: StartInput,
): Promise<Outcome<PhoneView>> {
  const { rules } = core
  permitted(caller, phoneId, await findPhone(tx, phoneId))
  const project = await lockOwnerAndProject(tx, caller.projectId)
  const phone = permitted(caller, phoneId, await lockPhone(tx, phoneId, 'phone'))
  const now = core.clock.now()
  // End a session that is over even if no job has noticed yet: a renewal pays from now on, not for the time
  // since the end.
  const status = (await endIfDue(tx, rules, phone, now)) ?? phone.status
  const conflict = startConflict(phoneId, status)
  if (conflict) return refuse(conflict)

  const usage = await readUsageAndPause(tx, project, now)
  const unreachable = isRunning(phone.status) ? null : await obstacleOf(core, tx, phoneId, now)
  const limit = { projectId: project.id, limit: rules.lifecyclePerMinute, now }
  const verdict = await countAdmission(tx, limit, (rateLimitedFor) =>
    admitStart(
      rules,
      {
        frozen: project.frozenAt !== null,
        paused: usage.isPaused,
        rateLimitedFor,
        counts: countsOf(project, usage),
        money: { ...project, spentThisMonthMicros: usage.spentThisMonthMicros },
        running: isRunning(phone.status),
        unreachable,
      },
      input.maxDuration,
    ),
  )
  if ('refused' in verdict) return verdict
  const admitted = { now, idleTimeout: input.idleTimeout ?? limits.idleTimeout.default, ...verdict }
  if (phone.session) await renew(tx, phone, phone.session, admitted)
  else await begin(core, tx, phone, admitted)
  const after = await findPhone(tx, phoneId)
  if (!after) throw new Error(`phone ${phoneId} vanished`)
  return { done: viewOf(after) }
}

/** Returns why the device of a phone that is not running cannot take a start. Locks the device. */
export async function obstacleOf(
  { rules }: Core,
  tx: RawTx,
  phoneId: string,
  now: Date,
): Promise<ApiError | null> {
  const details = { phone: phoneId }
  const refused = await lockInService(tx, phoneId)
  if (refused === 'out of service')
    return new ApiError('phone_unavailable', {
      message: 'The phone is out of service for maintenance, so nothing was done.',
      details,
    })
  if (refused === 'refused') return hostRefusesWork(phoneId)
  const reach = await reachOf(tx, phoneId, now, rules)
  return reach === 'in reach' ? null : new ApiError('phone_unavailable', { details })
}

interface Admitted {
  now: Date
  idleTimeout: number
  maxDuration: number
  reservedMicros: bigint
}

async function begin(core: Core, tx: RawTx, phone: PhoneRecord, admitted: Admitted): Promise<void> {
  const move = moveFor(phone.status, 'start')
  if (!move) throw new Error(`a phone cannot start from ${phone.status}`)
  // A reset that a park interrupted runs first, and extends the deadline.
  const { startDeadlineMs, restartGraceMs } = core.rules
  const deadline = new Date(admitted.now.getTime() + (phone.resetPending ? restartGraceMs : startDeadlineMs))
  await tx.$executeRaw`update phones set status = ${move.to}, start_deadline_at = ${deadline}, failure_code = null,
      failure_message = null, failure_at = null where id = ${phone.id}`
  const device = await raiseFencing(tx, phone.id)
  if (!device) throw new Error(`phone ${phone.id} does not hold a device`)
  const { id: phoneId, projectId } = phone
  await openSession(tx, { phoneId, projectId, deadline, fencing: device.fencingNumber, ...admitted })
}

/** Extends the deadline, never shortens it, and holds the additional credit. */
async function renew(
  tx: RawTx,
  phone: PhoneRecord,
  session: SessionRecord,
  admitted: Admitted,
): Promise<void> {
  const { idleTimeout, now, reservedMicros } = admitted
  const maxDuration = renewedDuration(
    { ...session, startedAt: session.startedAt.getTime() },
    now.getTime(),
    admitted.maxDuration,
  )
  await tx.$executeRaw`update sessions set idle_timeout = ${idleTimeout}, max_duration = ${maxDuration},
      reserved_micros = reserved_micros + ${reservedMicros}::bigint where id = ${session.id}`
  await holdCredit(tx, { projectId: phone.projectId, sessionId: session.id, micros: reservedMicros, at: now })
  await scheduleDue(tx, phone, { ...session, idleTimeout, maxDuration })
}

/** Adds `session.due` for the time at which the session would end. */
export const dueJob = (phone: PhoneRecord, session: SessionRecord): NewJob =>
  newJob(
    'session.due',
    { phoneId: phone.id, sessionId: session.id },
    { runAt: new Date(parkTimeOf(phone, session).at), key: `due:${session.id}` },
  )

export const scheduleDue = (tx: RawTx, phone: PhoneRecord, session: SessionRecord): Promise<void> =>
  addJobs(tx, [dueJob(phone, session)])
