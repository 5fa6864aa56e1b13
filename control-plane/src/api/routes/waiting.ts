/** Rules of waiting for a phone: when a wait ends, and the error when the phone fails during the wait. */
import { isErrorCode } from '@phonerack/shared'
import { PhoneFailure } from '../http/errors.js'
import { type PhoneView } from '../../rental/phones/types.js'

const onItsWay: readonly string[] = ['creating', 'starting']
const atRest: readonly string[] = ['parked', 'failed', 'deleted']

/** A wait for `ready` ends early when the phone will not become ready without another request. */
export const settledForReady = (phone: PhoneView): boolean => !onItsWay.includes(phone.status)

export const settledForParked = (phone: PhoneView): boolean => atRest.includes(phone.status)

/** A wait for a park ends once the phone is no longer parking. */
export const settledForPark = (phone: PhoneView): boolean => phone.status !== 'parking'

/**
 * Returns the error of a phone that failed while the request waited. Codes that the table does not list come from the
 * provider.
 */
export function failureOf(phone: PhoneView): PhoneFailure {
  const { code, message } = phone.failure ?? { code: 'internal_error', message: 'The phone has failed.' }
  const known = isErrorCode(code) ? code : 'provider_error'
  const country =
    known === 'validation_failed'
      ? { validation_stage: 'phone', issues: [{ path: ['country'], message }] }
      : {}
  return new PhoneFailure(known, {
    message,
    retryable: false,
    next: `${phone.id} has failed and cannot be used again. Create a new phone: POST /v1/phones`,
    details: { phone: phone.id, ...country },
  })
}
