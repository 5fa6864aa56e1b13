/**
 * What a failed read of a phone means to a client. A read changed nothing, so
 * it may always be repeated.
 */
import { ApiError, DeadlineExceeded } from '@phonerack/shared'
import { DeviceGone } from '../device/device.js'

/** The phone's description of its screen cannot be read: no XML, broken XML, or XML that is refused. */
export class ScreenXmlError extends Error {
  constructor(message: string) {
    super(`the screen's XML cannot be read: ${message}`)
    this.name = 'ScreenXmlError'
  }
}

/** The phone's picture of its screen cannot be read. */
export class ScreenImageError extends Error {
  constructor(message: string, cause?: unknown) {
    super(`the screen's picture cannot be read: ${message}`, cause === undefined ? undefined : { cause })
    this.name = 'ScreenImageError'
  }
}

/** Turns what a read threw into the client's error; what is none of ours is a bug and comes back as it is. */
export function readFailure(error: unknown): unknown {
  if (error instanceof DeviceGone) return new ApiError('phone_unavailable', { cause: error })
  if (error instanceof DeadlineExceeded) return new ApiError('provider_timeout', { cause: error })
  if (error instanceof ScreenXmlError || error instanceof ScreenImageError)
    return new ApiError('provider_error', {
      message: "The phone's screen could not be read.",
      details: { reason: error.message },
      cause: error,
    })
  return error
}
