/**
 * An adbkit connection to the adb server for one call. Unlike adbkit's own, it closes with the call's `progress`, its reads
 * settle when the socket closes, it retries while the server's queue is full, and it never starts a server. Used by `client.ts`.
 */
import type { Progress } from '@phonerack/shared'
import { Bluebird, Connection, Parser } from './adbkit.js'
import { AdbConnectionLost, AdbProtocolError } from './errors.js'
import { AdbSocket } from './socket.js'

/** Milliseconds between attempts while the server's queue is full. */
const retryMs = 20

/** Whether a Unix socket rejected a connection because its queue is full. */
export const isFull = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'EAGAIN'

/** Bytes; the protocol's lengths have four hex digits. */
const longestText = 0xffff

/** adbkit's parser waits forever after the socket has closed, and accepts any length. */
class BoundedParser extends Parser {
  constructor(
    private readonly bytes: AdbSocket,
    connection: InstanceType<typeof Connection>,
  ) {
    super(connection.socket)
  }

  override readBytes(length: number): Bluebird<Buffer> {
    if (!(length >= 0 && length <= longestText))
      return Bluebird.reject(new AdbProtocolError(`the answer has ${length} bytes`))
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
    // `net.connect` uses the path; adbkit's types require a port.
    const options = { path, port: 0 }
    super(options)
    // adbkit re-emits socket errors here; without a listener they would crash the agent.
    this.on('error', () => undefined)
  }

  /**
   * The connection lasts until `progress` ends or `close` is called. A busy or stopped adb server queues five connections; the
   * Unix socket rejects the next one immediately, and this method retries it.
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
      await progress.sleep(retryMs, what)
    }
  }

  private begin(progress: Progress): PromiseLike<unknown> {
    const connecting = this.connect()
    this.opened = new AdbSocket(this.socket, this.what, progress)
    this.parser = new BoundedParser(this.opened, this)
    return connecting
  }

  /** The stream after the answers to commands. */
  get bytes(): AdbSocket {
    if (!this.opened) throw new Error(`${this.what}: not connected`)
    return this.opened
  }

  close(): void {
    this.opened?.close()
  }

  /** adbkit calls this when the connection is refused. Only `server.ts` starts the agent's server. */
  override startServer(): never {
    throw new AdbConnectionLost(this.what)
  }
}

/** Opens a connection without a command. It lasts until `progress` ends or `close` is called. */
export const openSocket = async (path: string, what: string, progress: Progress): Promise<AdbSocket> =>
  (await AdbConnection.open(path, what, progress)).bytes
