/** Ends a run at a client's request: park and delete. */
import { countLifecycleRequest } from '../billing/lifecycle-limit.js'
import { rateLimited } from '../billing/admission.js'
import { type RawTx } from '../../base/db/raw-transaction.js'
import { inRawTenantTransaction } from '../../base/core/tenant-transaction.js'
import { permitted } from './access.js'
import { readinessConflict } from './conflicts.js'
import { type Core } from '../../base/core/core.js'
import { endRun } from './end.js'
import { isRunning, moveFor } from './machine.js'
import { refuse, settle, type Outcome } from './outcome.js'
import { findPhone, lockRunningPhone, viewOf, type PhoneRecord } from './records.js'
import { type Caller } from '../../base/core/caller.js'
import { type PhoneView } from './types.js'

/**
 * A repeated park of a phone with `on_idle: "delete"` finds the phone deleted, and succeeds.
 * @throws ApiError phone_not_running for an unavailable phone; the conflicts of failed and deleted phones
 */
export async function parkPhone(core: Core, caller: Caller, phoneId: string): Promise<PhoneView> {
  return stop(core, caller, phoneId, 'park', ({ status, onIdle }) =>
    status === 'unavailable' || status === 'failed' || (status === 'deleted' && onIdle === 'park')
      ? readinessConflict(phoneId, status)
      : null,
  )
}

export const deletePhone = (core: Core, caller: Caller, phoneId: string): Promise<PhoneView> =>
  stop(core, caller, phoneId, 'delete', () => null)

async function stop(
  core: Core,
  caller: Caller,
  phoneId: string,
  event: 'park' | 'delete',
  conflictOf: (phone: PhoneRecord) => ReturnType<typeof readinessConflict>,
): Promise<PhoneView> {
  const attempt = async (tx: RawTx): Promise<Outcome<PhoneRecord>> => {
    permitted(caller, phoneId, await findPhone(tx, phoneId))
    const phone = permitted(caller, phoneId, await lockRunningPhone(tx, phoneId, 'project and phone'))
    const conflict = conflictOf(phone)
    if (conflict) return refuse(conflict)
    const now = core.clock.now()
    const limit = { projectId: phone.projectId, limit: core.rules.lifecyclePerMinute, now }
    const wait = await countLifecycleRequest(tx, limit, true)
    if (wait !== null) return refuse(rateLimited(wait))
    if (event === 'park' && !isRunning(phone.status)) return { done: phone }
    const to = moveFor(phone.status, event, phone.onIdle)?.to
    await endRun(tx, core.rules, phone, event, { at: now, now })
    return { done: to ? { ...phone, status: to, startDeadlineAt: null, session: null } : phone }
  }
  const phone = settle(await inRawTenantTransaction(core, caller, attempt))
  core.changes.publish(phoneId)
  return viewOf(phone)
}
