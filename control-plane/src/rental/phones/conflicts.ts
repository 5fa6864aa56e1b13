/** Maps a phone's status to the conflict error of a request that needs another status. Pure. */
import { ApiError } from '@phonerack/shared'
import { type PhoneStatus } from '../../base/core/statuses.js'

/** The conflict of a request that needs a ready phone. Returns null when the phone is ready. */
export function readinessConflict(phoneId: string, status: PhoneStatus): ApiError | null {
  const details = { phone: phoneId, status }
  switch (status) {
    case 'ready':
      return null
    case 'creating':
    case 'starting':
      return new ApiError('phone_starting', { details, next: `GET /v1/phones/${phoneId}?wait=ready` })
    case 'parking':
      return new ApiError('phone_parking', { details, next: `GET /v1/phones/${phoneId}?wait=parked` })
    case 'parked':
    case 'unavailable':
      return new ApiError('phone_not_running', { details, next: `POST /v1/phones/${phoneId}/start` })
    case 'failed':
      return new ApiError('phone_failed', { details, next: 'Create a new phone: POST /v1/phones' })
    case 'deleted':
      return new ApiError('phone_deleted', { details, next: 'Create a new phone: POST /v1/phones' })
  }
}

/** The conflict of a request that needs a running phone. A starting phone does not conflict. */
export const runningConflict = (phoneId: string, status: PhoneStatus): ApiError | null =>
  status === 'creating' || status === 'starting' ? null : readinessConflict(phoneId, status)

/** The conflict of a start, when the phone can neither be started nor renewed. */
export const startConflict = (phoneId: string, status: PhoneStatus): ApiError | null =>
  status === 'failed' || status === 'deleted' || status === 'parking'
    ? readinessConflict(phoneId, status)
    : null
