/**
 * Reboot and reset of a ready phone in the tables: the phone is `starting`, its session continues, its device
 * may be unreachable for a while, and `phone.start` makes it ready again. `device-control/power.ts` sends the
 * request to the phone.
 */
import { ApiError } from '@phonerack/shared'
import { inTransaction, type Tx } from '../../base/db/database.js'
import { inTenantTransaction } from '../../base/core/tenant-transaction.js'
import { deviceOf, suspendGrace } from '../devices/assignment.js'
import { reachOf } from '../devices/reach.js'
import { lockInService } from '../devices/service.js'
import { hostRefusesWork, phoneUnavailable } from './target.js'
import { addJob } from '../../base/queue/queue.js'
import { permitted } from './access.js'
import { readinessConflict } from './conflicts.js'
import { type Core } from '../../base/core/core.js'
import { addStart } from './open-session.js'
import { moveFor } from './machine.js'
import { refuse, settle, type Outcome } from './outcome.js'
import { findPhone, lockPhone, viewOf } from './records.js'
import { scheduleDue } from './start.js'
import { type Caller } from '../../base/core/caller.js'
import { type PhoneView } from './types.js'

type RestartKind = 'reboot' | 'reset'

/** Milliseconds after which the phone is started even when the process that ordered the reboot has ended. */
const takenOverMs = 20_000
/**
 * Milliseconds that a lost restart has until its own deadline, before the host sweep treats the
 * phone as silent.
 */
const sweepAfterMs = 15_000

interface Restarting {
  phone: PhoneView
  serial: string
  fencingNumber: bigint
  /** When the allowance was last used; null: never. */
  previous: Date | null
}

/**
 * Uses up the allowance and sets the phone to `starting`. @throws ApiError the conflict of a phone that is
 * not ready, rate_limited, feature_unavailable, phone_unavailable
 */
export async function beginRestart(
  core: Core,
  caller: Caller,
  phoneId: string,
  kind: RestartKind,
): Promise<Restarting> {
  const restarting = settle(
    await inTenantTransaction(core, caller, (tx) => attempt(core, tx, caller, phoneId, kind)),
  )
  core.changes.publish(phoneId)
  return restarting
}

async function attempt(
  core: Core,
  tx: Tx,
  caller: Caller,
  phoneId: string,
  kind: RestartKind,
): Promise<Outcome<Restarting>> {
  const { rules } = core
  permitted(caller, phoneId, await findPhone(tx, phoneId))
  const phone = permitted(caller, phoneId, await lockPhone(tx, phoneId, 'phone'))
  const conflict = readinessConflict(phoneId, phone.status)
  const move = moveFor(phone.status, 'restart')
  if (conflict || !move || !phone.session) return refuse(conflict ?? phoneUnavailable(phoneId))
  const now = core.clock.now()
  // Until the deadline, the phone's agent would refuse the start or the wipe.
  if ((await lockInService(tx, phoneId)) === 'refused') return refuse(hostRefusesWork(phoneId))
  if ((await reachOf(tx, phoneId, now, rules)) !== 'in reach') return refuse(phoneUnavailable(phoneId))
  if (kind === 'reset' && !(await canWipe(tx, phoneId))) {
    return refuse(new ApiError('feature_unavailable', { details: { phone: phoneId, feature: 'reset' } }))
  }
  const before = await tx.phone.findUniqueOrThrow({
    where: { id: phoneId },
    select: { rebootedAt: true, resetAt: true },
  })
  const [previous, everyMs] =
    kind === 'reboot' ? [before.rebootedAt, rules.rebootEveryMs] : [before.resetAt, rules.resetEveryMs]
  const wait = previous ? previous.getTime() + everyMs - now.getTime() : 0
  if (wait > 0) return refuse(tooSoon(kind, phoneId, Math.ceil(wait / 1000)))

  const deadline = new Date(now.getTime() + rules.restartGraceMs)
  await tx.phone.update({
    where: { id: phoneId },
    data: {
      status: move.to,
      startDeadlineAt: deadline,
      ...(kind === 'reboot' ? { rebootedAt: now } : { resetAt: now, resetPending: true }),
    },
  })
  const device = await suspendGrace(tx, phoneId, new Date(deadline.getTime() + sweepAfterMs))
  if (!device) throw new Error(`phone ${phoneId} does not hold a device`)
  const { id: sessionId } = phone.session
  await addJob(
    tx,
    'phone.deadline',
    { phoneId, sessionId },
    { runAt: deadline, key: `deadline:${sessionId}` },
  )
  await scheduleDue(tx, { ...phone, status: move.to }, phone.session)
  const startAt = kind === 'reboot' ? new Date(now.getTime() + takenOverMs) : undefined
  await addStart(tx, phoneId, device.fencingNumber, startAt)
  const after = await findPhone(tx, phoneId)
  if (!after) throw new Error(`phone ${phoneId} vanished`)
  const { serial, fencingNumber } = device
  return { done: { phone: viewOf(after), serial, fencingNumber, previous } }
}

function tooSoon(kind: RestartKind, phoneId: string, seconds: number): ApiError {
  return new ApiError('rate_limited', {
    message:
      kind === 'reboot'
        ? 'The phone was already rebooted within the last 10 minutes.'
        : 'The phone was already reset within the last minute.',
    retryAfterSeconds: seconds,
    details: { phone: phoneId, retry_after_seconds: seconds },
  })
}

/** True when the probe at enrolment found a way to wipe the device. */
async function canWipe(tx: Tx, phoneId: string): Promise<boolean> {
  const rows = await tx.$queryRaw<{ able: boolean }[]>`select exists (
      select 1 from jsonb_array_elements(d.capabilities) c
      where c->>'name' = 'wipe' and c->>'implementation' <> '') as able
    from devices d where d.phone_id = ${phoneId}`
  return rows[0]?.able ?? false
}

/**
 * Starts the phone immediately, since the reboot's outcome is known, or will never be known. `giveBack`:
 * nothing was done, so the allowance is restored.
 */
export async function endReboot(
  core: Core,
  phoneId: string,
  { fencingNumber, previous }: Restarting,
  giveBack: boolean,
): Promise<void> {
  await inTransaction(core.db, async (tx) => {
    const phone = await lockPhone(tx, phoneId, 'phone')
    if (phone?.status !== 'starting' || (await deviceOf(tx, phoneId))?.fencingNumber !== fencingNumber) return
    if (giveBack) await tx.phone.update({ where: { id: phoneId }, data: { rebootedAt: previous } })
    await addStart(tx, phoneId, fencingNumber)
  })
}

/**
 * Records that the wipe was verified under this fencing number. Returns false when the number is no longer
 * the phone's number.
 */
export async function resetDone(core: Core, phoneId: string, fencing: bigint): Promise<boolean> {
  const { count } = await core.db.phone.updateMany({
    where: { id: phoneId, device: { fencingNumber: fencing } },
    data: { resetPending: false, hasData: false },
  })
  return count > 0
}
