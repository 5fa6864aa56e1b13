/** Decides which phones a key may use. Pure except for reading the phone's owner. */
import { ApiError } from '@phonerack/shared'
import { type Caller } from '../../base/core/caller.js'

export const phoneNotFound = (phoneId: string): ApiError =>
  new ApiError('phone_not_found', { details: { phone: phoneId }, next: 'GET /v1/phones' })

/**
 * Returns the phone when the key may use it.
 * @throws ApiError phone_not_found when the phone does not exist or belongs to another project,
 * phone_not_allowed for another phone of the key's own project
 */
export function permitted<P extends { projectId: string }>(
  caller: Caller,
  phoneId: string,
  phone: P | null,
): P {
  if (phone?.projectId !== caller.projectId) throw phoneNotFound(phoneId)
  if (caller.phoneIds !== null && !caller.phoneIds.includes(phoneId)) {
    throw new ApiError('phone_not_allowed', { details: { phone: phoneId } })
  }
  return phone
}
