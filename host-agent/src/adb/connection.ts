/**
 * A connection of adbkit to the adb server for one call. Adds to adbkit: it ends with the call's `progress`, its reads
 * settle when the socket closes, it retries a full socket, and it never starts a server. Used by `client.ts`.
 */
import type { Progress } from '@phonerack/shared'
import { Bluebird, Connection, Parser } from './adbkit.js'
import { AdbConnectionLost, AdbProtocolError } from './errors.js'
import { AdbSocket } from './socket.js'

/** Milliseconds between two tries of a full socket. */
const againMs = 20

/** Whether a Unix socket refused a connection because its queue is full. */
export const isFull = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'EAGAIN'

/** Bytes: a length on this protocol has four hex digits. */
const longestText = 0xffff

/** adbkit's parser waits forever once the socket has closed, and accepts any length. */
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
    // adbkit emits a socket's errors here again; without a listener they would end the agent.
    this.on('error', () => undefined)
  }

  /**
   * Lasts as long as `progress`, or until `close`. The adb server queues five connections while it is busy or stopped; a
   * Unix socket then refuses the next one immediately, and this retries it.
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

  /** The bytes after the answers to commands. */
  get bytes(): AdbSocket {
    if (!this.opened) throw new Error(`${this.what}: not connected`)
    return this.opened
  }

  close(): void {
    this.opened?.close()
  }

  /** adbkit calls this when the server refuses the connection. Only `server.ts` starts the agent's server. */
  override startServer(): never {
    throw new AdbConnectionLost(this.what)
  }
}

/** Opens a connection without a command. It lasts as long as `progress`, or until `close`. */
export const openSocket = async (path: string, what: string, progress: Progress): Promise<AdbSocket> =>
  (await AdbConnection.open(path, what, progress)).bytes
