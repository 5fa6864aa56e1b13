/** Base of the agent's adbkit commands: requests a service and reads OKAY or FAIL. */
import { Command, Protocol, type Bluebird } from '../adbkit.js'
import type { AdbConnection } from '../connection.js'
import { AdbConnectionLost, AdbProtocolError, AdbRefused, serviceName } from '../errors.js'
import type { AdbSocket } from '../socket.js'

/** Bytes; the length is sent as four hex digits. */
const longestService = 0xffff

export abstract class ServiceCommand<T> extends Command<T> {
  private readonly opened: AdbConnection

  constructor(connection: AdbConnection) {
    super(connection)
    this.opened = connection
  }

  /** The stream after the answer. */
  protected get bytes(): AdbSocket {
    return this.opened.bytes
  }

  /** @throws AdbRefused with the reason, AdbConnectionLost, AdbProtocolError */
  protected request(service: string): Bluebird<void> {
    const encoded = Buffer.from(service)
    if (encoded.length > longestService)
      throw new AdbProtocolError(`${serviceName(service)} has ${encoded.length} bytes`)
    // adbkit's `_send` would log the service, which can contain typed text, under `DEBUG` and `ADBKIT_DUMP`.
    this.opened.socket.write(Protocol.encodeData(encoded))
    return this.parser.readAscii(4).then(async (status) => {
      if (status === Protocol.OKAY) return
      if (status !== Protocol.FAIL)
        throw new AdbProtocolError(`unexpected answer ${JSON.stringify(status)} to ${serviceName(service)}`)
      throw new AdbRefused(service, await this.reason())
    })
  }

  /** Four hex digits of length, then the text. */
  protected readText(): Bluebird<string> {
    return this.parser.readAscii(4).then((digits) => {
      if (!/^[0-9a-fA-F]{4}$/.test(digits))
        throw new AdbProtocolError(`invalid length ${JSON.stringify(digits)}`)
      return this.parser.readBytes(Protocol.decodeLength(digits)).then((text) => text.toString('utf8'))
    })
  }

  private async reason(): Promise<string> {
    try {
      return await this.readText()
    } catch (error) {
      if (!(error instanceof AdbConnectionLost)) throw error
      return 'no reason given'
    }
  }
}

/** A service that only answers OKAY, or whose stream the caller reads. */
export class OpenCommand extends ServiceCommand<void> {
  execute(service: string): Bluebird<void> {
    return this.request(service)
  }
}

/** A service that answers with one text, such as `host-transport-id:N:features`. */
export class TextCommand extends ServiceCommand<string> {
  execute(service: string): Bluebird<string> {
    return this.request(service).then(() => this.readText())
  }
}
