/** Connects to the adb server by adbkit's connection. Used by `client.ts`. */
import type { Progress } from '@phonerack/shared'
import { Connection } from './adbkit.js'
import { AdbSocket } from './socket.js'

/** Milliseconds between attempts while the server's queue is full. */
const retryMs = 20

/** Whether a Unix socket rejected a connection because its queue is full. */
export const isFull = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'EAGAIN'

class ServerConnection extends Connection {
  /** adbkit calls this when the connection is refused. Only `server.ts` starts the agent's server. */
  override startServer(): never {
    throw new Error('the adb server refused the connection')
  }
}

/**
 * Opens a connection for a call. Errors use the name `what` for the call. The connection lasts until `progress` ends or
 * the caller closes it. A busy or stopped adb server queues five connections; the Unix socket rejects further
 * connections immediately, and this function retries them.
 * @throws AdbConnectionLost, DeadlineExceeded
 */
export async function openSocket(path: string, what: string, progress: Progress): Promise<AdbSocket> {
  for (;;) {
    progress.check(what)
    // `net.connect` uses the path; adbkit's types require a port.
    const options = { path, port: 0 }
    const connection = new ServerConnection(options)
    // adbkit re-emits socket errors here; without a listener they would crash the agent.
    connection.on('error', () => undefined)
    const connecting = connection.connect()
    const socket = new AdbSocket(connection.socket, what, progress)
    try {
      await connecting
      return socket
    } catch (error) {
      socket.close()
      if (!isFull(error)) throw socket.reason
    }
    await progress.sleep(retryMs, what)
  }
}
