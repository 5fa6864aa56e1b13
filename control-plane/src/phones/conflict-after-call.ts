/** What a request into a phone is told of which nothing was done, while the phone was taken away under it. */
import { ApiError } from '@phonerack/shared'
import { readinessConflict } from './conflicts.js'
import { type Core } from '../core/core.js'
import { findPhone } from './records.js'

/** How a phone that was parked, deleted or restarted meanwhile is seen from its host: not there, or not answering. */
const fromTheHost = ['phone_unavailable', 'provider_error', 'provider_timeout']

/**
 * The conflict of the phone's status now, when it is no longer ready; else `error` as it is. Only for requests of which
 * nothing was done: the client may send them again when the phone is ready.
 */
export async function conflictOr(core: Core, phoneId: string, error: unknown): Promise<unknown> {
  if (!(error instanceof ApiError) || !fromTheHost.includes(error.code)) return error
  try {
    const phone = await findPhone(core.db, phoneId)
    return (phone && readinessConflict(phoneId, phone.status)) ?? error
  } catch (cause) {
    core.log.warn({ err: cause, phone: phoneId }, 'could not read the state of a phone')
    return error
  }
}
