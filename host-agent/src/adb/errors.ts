/**
 * What can go wrong between the agent and its adb server. Callers near a device turn these into `DeviceGone`.
 * Errors reach logs: they name a service without its arguments, which may be text that somebody typed.
 */
import { commandName } from './quote.js'

/** The adb server is not there, or the connection to it broke. */
export class AdbConnectionLost extends Error {
  constructor(what: string, cause?: unknown) {
    super(`${what}: the connection to the adb server ended`, cause === undefined ? undefined : { cause })
    this.name = 'AdbConnectionLost'
  }
}

/** A service without what it is to do with: `shell,v2,raw:input text`, `host:transport:SERIAL`. */
export function serviceName(service: string): string {
  const at = service.indexOf(':')
  const kind = service.slice(0, at + 1)
  return /^(shell|exec)[,:]/.test(service) ? `${kind}${commandName(service.slice(at + 1))}` : service
}

/** The adb server answered FAIL. */
export class AdbRefused extends Error {
  /** Without arguments. */
  readonly service: string
  /** The server's own words, such as `device offline`. */
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

/** The answer does not follow the protocol. */
export class AdbProtocolError extends Error {
  override readonly name = 'AdbProtocolError'
}
