/**
 * Errors between the agent and its adb server. `transport.ts` converts some errors to `DeviceGone`. Errors reach logs,
 * so they name a service without its arguments, which can contain typed text.
 */
import { commandName } from './quote.js'

/** The adb server does not run, or the connection to it broke. */
export class AdbConnectionLost extends Error {
  constructor(what: string, cause?: unknown) {
    super(`${what}: the connection to the adb server ended`, cause === undefined ? undefined : { cause })
    this.name = 'AdbConnectionLost'
  }
}

/**
 * Returns a service without the arguments of its command, such as `shell,v2,raw:input text` or `host:transport:SERIAL`.
 */
export function serviceName(service: string): string {
  const at = service.indexOf(':')
  const kind = service.slice(0, at + 1)
  return /^(shell|exec)[,:]/.test(service) ? `${kind}${commandName(service.slice(at + 1))}` : service
}

/** The adb server answered FAIL. */
export class AdbRefused extends Error {
  /** The service without its arguments. */
  readonly service: string
  /** The server's reason, such as `device offline`. */
  readonly answer: string

  constructor(service: string, answer: string) {
    const name = serviceName(service)
    const said = answer.replaceAll(service, name)
    super(`adb rejected ${name}: ${said}`)
    this.name = 'AdbRefused'
    this.service = name
    this.answer = said
  }
}

/** The answer violates the protocol, or is larger than its limit. */
export class AdbProtocolError extends Error {
  override readonly name = 'AdbProtocolError'
}

/** The phone refused to read or write a file; the message contains its reason. */
export class AdbFileRefused extends Error {
  override readonly name = 'AdbFileRefused'
}
