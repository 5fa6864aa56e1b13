/** Thrown by `adb/` and everything above it. */

/** The phone disconnected, or was never connected: bytes may or may not have reached it. */
export class DeviceGone extends Error {
  constructor(serial: string, cause?: unknown) {
    super(`device ${serial} is unreachable`, cause === undefined ? undefined : { cause })
    this.name = 'DeviceGone'
  }
}
