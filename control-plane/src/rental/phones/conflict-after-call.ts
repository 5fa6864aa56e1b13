/**
 * Chooses the error of a request that did nothing because its phone was taken away during the call.
 */
import { ApiError } from '@phonerack/shared'
import { readinessConflict } from './conflicts.js'
import { type Core } from '../../base/core/core.js'
import { findPhone } from './records.js'

/** Codes that a host returns for a phone that was parked, deleted or restarted during the call. */
const fromTheHost = ['phone_unavailable', 'provider_error', 'provider_timeout']

/**
 * Returns the conflict for the phone's current status when it is no longer ready, else `error` unchanged.
 * Must be called only when the request did nothing: the client may repeat it once the phone is ready.
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
