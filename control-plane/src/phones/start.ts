/** Starts a parked or unavailable phone; renews a running one. */
import { ApiError, limits } from '@phonerack/shared'
import { isPaused, lockOwnerAndProject, readUsage } from '../billing/account.js'
import { admitStart } from '../billing/admission.js'
import { countLifecycleRequest } from '../billing/lifecycle-limit.js'
import { holdCredit } from '../billing/ledger.js'
import { type Tx } from '../db/database.js'
import { inTenantTransaction } from '../core/tenant-transaction.js'
import { raiseFencing } from '../devices/assignment.js'
import { reachOf } from '../devices/reach.js'
import { lockInService } from '../devices/service.js'
import { addJob } from '../queue/queue.js'
import { permitted } from './access.js'
import { startConflict } from './conflicts.js'
import { type Core } from '../core/core.js'
import { endIfDue } from './end.js'
import { addStart, openSession } from './create.js'
import { isRunning, moveFor } from './machine.js'
import { refuse, settle, type Outcome } from './outcome.js'
import { hostRefusesWork } from './target.js'
import { findPhone, lockPhone, parkTimeOf, viewOf, type PhoneRecord, type SessionRecord } from './records.js'
import { renewedDuration } from './timing.js'
import { type Caller } from '../core/caller.js'
import { type PhoneView } from './types.js'

export interface StartInput {
  idleTimeout: number | null
  maxDuration: number | null
}

export async function startPhone(
  core: Core,
  caller: Caller,
  phoneId: string,
  input: StartInput,
): Promise<PhoneView> {
  const outcome = await inTenantTransaction(core, caller, (tx) => attempt(core, tx, caller, phoneId, input))
  // A refusal may also have ended a session.
  core.changes.publish(phoneId)
  return settle(outcome)
}

async function attempt(
  core: Core,
  tx: Tx,
  caller: Caller,
  phoneId: string,
  input: StartInput,
): Promise<Outcome<PhoneView>> {
  const { rules } = core
  permitted(caller, phoneId, await findPhone(tx, phoneId))
  const project = await lockOwnerAndProject(tx, caller.projectId)
  const phone = permitted(caller, phoneId, await lockPhone(tx, phoneId, 'phone'))
  const now = core.clock.now()
  // End a session that is over even if nobody has noticed yet: a renewal pays from now on, not for
  // the time since the end.
  const isOver = await endIfDue(tx, rules, phone, now)
  const conflict = startConflict(phoneId, isOver ? 'parking' : phone.status)
  if (conflict) return refuse(conflict)

  const usage = await readUsage(tx, project, now)
  const unreachable = isRunning(phone.status) ? null : await obstacleOf(core, tx, phoneId, now)
  const verdict = await admitStart(
    rules,
    {
      frozen: project.frozenAt !== null,
      paused: await isPaused(tx),
      rateLimitedFor: () => countLifecycleRequest(tx, project.id, rules.lifecyclePerMinute, now),
      counts: {
        running: usage.ownerRunning,
        maxRunning: project.maxRunning,
        phones: usage.projectPhones,
        maxPhones: project.maxPhones,
      },
      money: { ...project, spentThisMonthMicros: usage.spentThisMonthMicros },
      running: isRunning(phone.status),
      unreachable,
    },
    input.maxDuration,
  )
  if ('refused' in verdict) return verdict
  const admitted = { now, idleTimeout: input.idleTimeout ?? limits.idleTimeout.default, ...verdict }
  if (phone.session) await renew(tx, phone, phone.session, admitted)
  else await begin(core, tx, phone, admitted)
  const after = await findPhone(tx, phoneId)
  if (!after) throw new Error(`phone ${phoneId} vanished`)
  return { done: viewOf(after) }
}

/** Why the device of a phone that is not running cannot take a start. Locks the device. */
async function obstacleOf({ rules }: Core, tx: Tx, phoneId: string, now: Date): Promise<ApiError | null> {
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

async function begin(core: Core, tx: Tx, phone: PhoneRecord, admitted: Admitted): Promise<void> {
  const move = moveFor(phone.status, 'start')
  if (!move) throw new Error(`a phone cannot start from ${phone.status}`)
  // A reset that a park interrupted runs first, and takes its own time.
  const { startDeadlineMs, restartGraceMs } = core.rules
  const deadline = new Date(admitted.now.getTime() + (phone.resetPending ? restartGraceMs : startDeadlineMs))
  await tx.phone.update({
    where: { id: phone.id },
    data: {
      status: move.to,
      startDeadlineAt: deadline,
      failureCode: null,
      failureMessage: null,
      failureAt: null,
    },
  })
  const device = await raiseFencing(tx, phone.id)
  if (!device) throw new Error(`phone ${phone.id} does not hold a device`)
  await openSession(tx, { phoneId: phone.id, projectId: phone.projectId, deadline, ...admitted })
  await addStart(tx, phone.id, device.fencingNumber)
}

/** Extends the deadline, never shortens it, and holds the additional credit. */
async function renew(tx: Tx, phone: PhoneRecord, session: SessionRecord, admitted: Admitted): Promise<void> {
  const { idleTimeout, now, reservedMicros } = admitted
  const maxDuration = renewedDuration(
    { ...session, startedAt: session.startedAt.getTime() },
    now.getTime(),
    admitted.maxDuration,
  )
  await tx.session.update({
    where: { id: session.id },
    data: { idleTimeout, maxDuration, reservedMicros: { increment: reservedMicros } },
  })
  await holdCredit(tx, { projectId: phone.projectId, sessionId: session.id, micros: reservedMicros, at: now })
  await scheduleDue(tx, phone, { ...session, idleTimeout, maxDuration })
}

/** Schedules `session.due` for the time at which the session would end. */
export const scheduleDue = (tx: Tx, phone: PhoneRecord, session: SessionRecord): Promise<void> =>
  addJob(
    tx,
    'session.due',
    { phoneId: phone.id, sessionId: session.id },
    { runAt: new Date(parkTimeOf(phone, session).at), key: `due:${session.id}` },
  )
