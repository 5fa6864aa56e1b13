/**
 * One connection of adbkit to the adb server for one call, with what adbkit lacks: it ends with the call's `progress`,
 * a read settles when the socket closes, a full socket is tried again, and no server is ever started. Used by `client.ts`.
 */
import type { Progress } from '@phonerack/shared'
import { Bluebird, Connection, Parser } from './adbkit.js'
import { AdbConnectionLost, AdbProtocolError } from './errors.js'
import { AdbSocket } from './socket.js'

/** Milliseconds until a server that takes no more connections is asked again. */
const againMs = 20

/** Of a connection that a Unix socket refused since as many wait as it lets. */
export const isFull = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'EAGAIN'

/** Bytes: a length on this protocol has four hex digits. */
const longestText = 0xffff

/** adbkit's own waits forever when the socket closes, and takes any length. */
class BoundedParser extends Parser {
  constructor(
    private readonly bytes: AdbSocket,
    connection: InstanceType<typeof Connection>,
  ) {
    super(connection.socket)
  }

  override readBytes(length: number): Bluebird<Buffer> {
    if (!(length >= 0 && length <= longestText))
      return Bluebird.reject(new AdbProtocolError(`an answer of ${length} bytes`))
    return Bluebird.resolve(this.bytes.read(length))
  }

  /** The rest of a stream is read from `AdbConnection.bytes`. */
  override readAll(): never {
    throw new TypeError('readAll has no limit')
  }

  override readByteFlow(): never {
    throw new TypeError('readByteFlow has no back-pressure')
  }
}

export class AdbConnection extends Connection {
  private opened: AdbSocket | null = null

  private constructor(
    path: string,
    readonly what: string,
  ) {
    // `net.connect` takes the path; the port is there for adbkit's types.
    const options = { path, port: 0 }
    super(options)
    // adbkit repeats a socket's errors here, and one that nobody listens for would end the agent.
    this.on('error', () => undefined)
  }

  /**
   * Lasts as long as `progress`, or until `close`. adb lets five connections wait while it is busy or does not run; a
   * Unix socket refuses the next at once, which is tried again here.
   */
  static async open(path: string, what: string, progress: Progress): Promise<AdbConnection> {
    for (;;) {
      progress.check(what)
      const connection = new AdbConnection(path, what)
      try {
        await connection.begin(progress)
        return connection
      } catch (error) {
        connection.close()
        if (!isFull(error)) throw connection.bytes.reason
      }
      await progress.sleep(againMs, what)
    }
  }

  private begin(progress: Progress): PromiseLike<unknown> {
    const connecting = this.connect()
    this.opened = new AdbSocket(this.socket, this.what, progress)
    this.parser = new BoundedParser(this.opened, this)
    return connecting
  }

  /** What follows the answers to commands. */
  get bytes(): AdbSocket {
    if (!this.opened) throw new Error(`${this.what}: not connected`)
    return this.opened
  }

  close(): void {
    this.opened?.close()
  }

  /** adbkit calls this when the server refuses the connection: the agent's own server is started by `server.ts` alone. */
  override startServer(): never {
    throw new AdbConnectionLost(this.what)
  }
}

/** The bytes of a connection without any command, which lasts as long as `progress`, or until `close`. */
export const openSocket = async (path: string, what: string, progress: Progress): Promise<AdbSocket> =>
  (await AdbConnection.open(path, what, progress)).bytes
