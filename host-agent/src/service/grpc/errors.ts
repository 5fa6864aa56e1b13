/**
 * Maps a failed call to a gRPC status, and the public error as UTF-8 JSON in the
 * trailer `phonerack-error-bin`.
 */
import { Metadata, status, type ServiceError } from '@grpc/grpc-js'
import { ApiError, DeadlineExceeded, type ErrorCode, type Logger } from '@phonerack/shared'
import { AdbFileRefused } from '../../adb/errors.js'
import { DeviceGone, notDone } from '../../base/device-gone.js'
import { logUnreadable } from '../../adb/device/unreadable.js'

export const errorTrailer = 'phonerack-error-bin'

const statuses: Partial<Record<ErrorCode, status>> = {
  validation_failed: status.INVALID_ARGUMENT,
  invalid_request: status.INVALID_ARGUMENT,
  feature_unavailable: status.UNIMPLEMENTED,
  rate_limited: status.RESOURCE_EXHAUSTED,
  phone_unavailable: status.FAILED_PRECONDITION,
  provider_timeout: status.DEADLINE_EXCEEDED,
  provider_error: status.ABORTED,
  action_outcome_unknown: status.UNKNOWN,
  internal_error: status.INTERNAL,
  unauthorized: status.PERMISSION_DENIED,
  recording_not_found: status.NOT_FOUND,
}

/** Converts an error to the public error. An unknown error is a bug, which is logged here and returned as `internal_error`. */
export function toApiError(error: unknown, log: Logger): ApiError {
  logUnreadable(error, log)
  if (error instanceof ApiError) return error
  if (error instanceof DeviceGone) return notDone(error)
  if (error instanceof AdbFileRefused)
    return new ApiError('provider_error', {
      message: 'The phone refused access to the file.',
      retryable: false,
      cause: error,
    })
  if (error instanceof DeadlineExceeded) return new ApiError('provider_timeout', { cause: error })
  log.error({ err: error }, 'a call failed because of a bug in the agent')
  return new ApiError('internal_error', { cause: error })
}

export function toServiceError(error: ApiError): ServiceError {
  const metadata = new Metadata()
  metadata.set(errorTrailer, Buffer.from(JSON.stringify(error.toPlain())))
  return Object.assign(new Error(error.message), {
    code: statuses[error.code] ?? status.ABORTED,
    details: error.message,
    metadata,
  })
}
