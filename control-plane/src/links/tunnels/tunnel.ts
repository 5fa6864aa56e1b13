/** One tunnel, in which this replica opens streams to the agent of a host. The agent is the HTTP/2 server. */
import { connect, type ClientHttp2Session } from 'node:http2'
import { type TLSSocket } from 'node:tls'
import { type Duplex } from 'node:stream'
import {
  endWhenSilent,
  tunnelLimits,
  tunnelName,
  tunnelSettings,
  type PingTimes,
} from '@phonerack/shared/tunnel'

export interface Tunnel {
  /**
   * Opens a connection to the agent's gRPC server, which ends with the tunnel. Returns null if the tunnel is ending.
   */
  open(): Duplex | null
  /** Calls the listener when the tunnel ends, or immediately if it has ended. */
  onEnd(listener: () => void): void
  end(): void
}

/** Resolves once the agent has answered as an HTTP/2 server; to null if the connection ended first. */
export function startTunnel(socket: TLSSocket, pings?: PingTimes): Promise<Tunnel | null> {
  // A session on a destroyed socket would never report its end.
  if (socket.destroyed) return Promise.resolve(null)
  const session = connect(`http://${tunnelName}`, {
    createConnection: () => socket,
    settings: tunnelSettings,
  })
  // A session whose other end has begun to close it waits for that end, unless the connection is closed too.
  const end = (): void => {
    session.destroy()
    socket.destroy()
  }
  session.on('error', end)
  return new Promise((resolve) => {
    session.once('close', () => {
      socket.destroy()
      resolve(null)
    })
    session.once('remoteSettings', () => {
      session.setLocalWindowSize(tunnelLimits.sessionWindow)
      endWhenSilent(session, end, pings)
      resolve({
        open() {
          if (session.closed) end()
          return session.destroyed ? null : openStream(session)
        },
        onEnd: (listener) => {
          if (session.destroyed) listener()
          else session.once('close', listener)
        },
        end,
      })
    })
  })
}

function openStream(session: ClientHttp2Session): Duplex {
  const stream = session.request({ ':method': 'CONNECT', ':authority': tunnelName }, { endStream: false })
  stream.once('response', ({ ':status': status }) => {
    if (status !== 200) stream.destroy()
  })
  return stream
}
