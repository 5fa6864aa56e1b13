/**
 * Maps a failed read of a phone to a client error. A read changes nothing, so it may
 * always be repeated.
 */
import { ApiError, DeadlineExceeded } from '@phonerack/shared'
import { DeviceGone, notDone } from '../base/device-gone.js'

/** The phone's screen description is unreadable: not XML, broken XML, or XML that is refused. */
export class ScreenXmlError extends Error {
  /** `uiautomator dump` timed out waiting for an idle screen, and would time out again. */
  readonly neverIdle: boolean

  constructor(message: string) {
    super(`the screen's XML cannot be read: ${message}`)
    this.name = 'ScreenXmlError'
    this.neverIdle = /could not get idle state/i.test(message)
  }
}

/** The phone's screenshot is unreadable. */
export class ScreenImageError extends Error {
  constructor(message: string, cause?: unknown) {
    super(`the screen's picture cannot be read: ${message}`, cause === undefined ? undefined : { cause })
    this.name = 'ScreenImageError'
  }
}

/** Maps a read's error to a client error; an unknown error is a bug and is returned unchanged. */
export function readFailure(error: unknown): unknown {
  if (error instanceof DeviceGone) return notDone(error)
  if (error instanceof DeadlineExceeded) return new ApiError('provider_timeout', { cause: error })
  if (error instanceof ScreenXmlError || error instanceof ScreenImageError) return unreadable(error)
  return error
}

/** Returns the error for an invalid tree or picture of a phone. `more` follows the message. */
export function unreadable(error: ScreenXmlError | ScreenImageError, more = ''): ApiError {
  if (error instanceof ScreenXmlError && error.neverIdle)
    return new ApiError('provider_error', {
      message: `The screen moves constantly, and this phone can read elements only when the screen is still.${more}`,
      next: 'Take a screenshot (GET /v1/phones/{id}/screenshot) and use coordinates, or leave this screen with back or home.',
      details: { reason: 'screen_never_idle' },
      cause: error,
    })
  return new ApiError('provider_error', {
    message: `The phone's screen could not be read.${more}`,
    ...(error instanceof ScreenXmlError
      ? {
          next: 'Try again; a screenshot (GET /v1/phones/{id}/screenshot) shows the screen without its elements.',
        }
      : {}),
    details: { reason: error.message },
    cause: error,
  })
}
