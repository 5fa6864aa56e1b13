/**
 * The adb server's own protocol (AOSP `adb/OVERVIEW.TXT`, `SERVICES.TXT`): four
 * hex digits of length, a service name, then `OKAY` or `FAIL` with a reason.
 * One connection a request. Used by `track.ts`, `transport.ts` and `keep.ts`.
 */
import type { Progress } from '@phonerack/shared'
import { AdbConnectionLost, AdbProtocolError, AdbRefused, serviceName } from './errors.js'
import { AdbSocket } from './socket.js'

const hexLength = (text: string): string => Buffer.byteLength(text).toString(16).padStart(4, '0')

export class AdbClient {
  /** @param path of the server's Unix socket */
  constructor(readonly path: string) {}

  /** Asks for a service of the server and leaves the connection open after its OKAY. */
  async open(service: string, progress: Progress): Promise<AdbSocket> {
    const socket = await AdbSocket.open(this.path, `adb ${serviceName(service)}`, progress)
    try {
      await request(socket, service)
      return socket
    } catch (error) {
      socket.close()
      throw error
    }
  }

  /** Asks for a service of a device: the connection is that service's stream. */
  async openOnDevice(serial: string, service: string, progress: Progress): Promise<AdbSocket> {
    const socket = await this.open(`host:transport:${serial}`, progress)
    try {
      await request(socket, service)
      return socket
    } catch (error) {
      socket.close()
      throw error
    }
  }

  /** A service that answers with one length-prefixed text, such as `host:version`. */
  async ask(service: string, progress: Progress): Promise<string> {
    const socket = await this.open(service, progress)
    try {
      return await readText(socket)
    } finally {
      socket.close()
    }
  }

  /** The server's version, which also proves that it answers. */
  async version(progress: Progress): Promise<number> {
    return parseInt(await this.ask('host:version', progress), 16)
  }

  /** Connects a phone on the network. Returns the server's words: it says OKAY also when it could not. */
  connect(address: string, progress: Progress): Promise<string> {
    return this.ask(`host:connect:${address}`, progress)
  }

  /** Forgets a phone on the network; one that is not known is no error. */
  async disconnect(address: string, progress: Progress): Promise<void> {
    try {
      await this.ask(`host:disconnect:${address}`, progress)
    } catch (error) {
      if (!(error instanceof AdbRefused)) throw error
    }
  }

  /** Makes the server drop its connection to one device and open it again. */
  async reconnect(serial: string, progress: Progress): Promise<void> {
    await this.ask(`host-serial:${serial}:reconnect`, progress)
  }
}

/** Sends one service name and reads OKAY, or throws the reason. */
export async function request(socket: AdbSocket, service: string): Promise<void> {
  await socket.write(hexLength(service) + service)
  const status = (await socket.read(4)).toString('latin1')
  if (status === 'OKAY') return
  if (status !== 'FAIL')
    throw new AdbProtocolError(`unexpected answer ${JSON.stringify(status)} to ${serviceName(service)}`)
  let reason: string
  try {
    reason = await readText(socket)
  } catch (error) {
    if (!(error instanceof AdbConnectionLost)) throw error
    reason = 'no reason given'
  }
  throw new AdbRefused(service, reason)
}

/** Four hex digits, then as many bytes of text. */
export async function readText(socket: AdbSocket): Promise<string> {
  const digits = (await socket.read(4)).toString('latin1')
  if (!/^[0-9a-fA-F]{4}$/.test(digits)) throw new AdbProtocolError(`not a length: ${JSON.stringify(digits)}`)
  return (await socket.read(parseInt(digits, 16))).toString('utf8')
}
