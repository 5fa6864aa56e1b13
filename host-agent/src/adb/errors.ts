/** What can go wrong between the agent and its adb server. Callers near a device turn these into `DeviceGone`. */

/** The adb server is not there, or the connection to it broke. */
export class AdbConnectionLost extends Error {
  constructor(what: string, cause?: unknown) {
    super(`${what}: the connection to the adb server ended`, cause === undefined ? undefined : { cause })
    this.name = 'AdbConnectionLost'
  }
}

/** The adb server answered FAIL. */
export class AdbRefused extends Error {
  constructor(
    readonly service: string,
    /** The server's words, such as `device offline`. */
    readonly answer: string,
  ) {
    super(`adb refused ${service}: ${answer}`)
    this.name = 'AdbRefused'
  }
}

/** The answer does not follow the protocol. */
export class AdbProtocolError extends Error {
  override readonly name = 'AdbProtocolError'
}
