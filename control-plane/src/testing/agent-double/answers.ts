/** gRPC responses of a double, with errors in the trailer as the real agent sends them. */
import { Metadata, status, type sendUnaryData, type ServiceError } from '@grpc/grpc-js'
import { ApiError } from '@phonerack/shared'
import { isServiceError } from '../../links/host-calls/calls.js'

export function answer<A>(callback: sendUnaryData<A>, work: () => Promise<A>): void {
  Promise.resolve()
    .then(work)
    .then(
      (value) => callback(null, value),
      (error: unknown) => callback(toServiceError(error)),
    )
}

export function toServiceError(error: unknown): ServiceError {
  if (isServiceError(error)) return error
  const message = error instanceof Error ? error.message : String(error)
  const metadata = new Metadata()
  if (error instanceof ApiError)
    metadata.set('phonerack-error-bin', Buffer.from(JSON.stringify(error.toPlain())))
  const code = error instanceof ApiError ? status.FAILED_PRECONDITION : status.UNAVAILABLE
  return Object.assign(new Error(message), { code, details: message, metadata })
}

/** The error of a call whose trailer holds these bytes instead of the agent's error. */
export function withTrailer(bytes: Buffer, code = status.FAILED_PRECONDITION): ServiceError {
  const metadata = new Metadata()
  metadata.set('phonerack-error-bin', bytes)
  return Object.assign(new Error('refused'), { code, details: 'refused', metadata })
}
