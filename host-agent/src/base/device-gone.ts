/** The errors of an unreachable phone, thrown by `adb/` and the layers above. */
import { ApiError } from '@phonerack/shared'

/** The phone disconnected, or was never connected: bytes may or may not have reached it. */
export class DeviceGone extends Error {
  constructor(serial: string, cause?: unknown) {
    super(`device ${serial} is unreachable`, cause === undefined ? undefined : { cause })
    this.name = 'DeviceGone'
  }
}

/**
 * The phone, or the adb server, sent bytes that violate the protocol. This is a `DeviceGone`, since it is
 * equally uncertain what the phone has done; but the phone is still connected.
 */
export class InvalidAnswer extends DeviceGone {
  constructor(serial: string, cause?: Error) {
    super(serial, cause)
    this.name = 'InvalidAnswer'
    this.message = `device ${serial} sent an invalid answer`
  }
}

/** Whether the error proves that the phone has disconnected. An invalid answer does not prove that. */
export const isDisconnect = (error: unknown): boolean =>
  error instanceof DeviceGone && !(error instanceof InvalidAnswer)

/** Returns the public error when the phone has certainly not carried out the request. */
export const notDone = (error: DeviceGone): ApiError =>
  error instanceof InvalidAnswer
    ? new ApiError('provider_error', { message: 'The phone sent an invalid answer.', cause: error })
    : new ApiError('phone_unavailable', { cause: error })
