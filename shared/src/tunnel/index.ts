/**
 * The tunnel that a host agent without an open port opens to a replica of the control plane. Both ends use
 * this module. The agent is the TLS client and the HTTP/2 server: the replica opens streams in the tunnel,
 * and each stream carries the bytes of one gRPC connection. docs/decisions/0227
 */
import { type Http2Session, type Settings } from 'node:http2'
import { type Duplex } from 'node:stream'
import { ownNow } from '../own-time.js'

/** The name in the certificate of a replica's listener, at any address. */
export const tunnelName = 'tunnel.phonerack.internal'

/** The ALPN protocol of a tunnel. */
export const tunnelProtocol = 'phonerack-tunnel/1'

export const tunnelLimits = {
  /**
   * Connections that one tunnel carries simultaneously. A replica needs two, and two more while it replaces
   * them.
   */
  streams: 16,
  /** Bytes that an end sends before the other end has read them: in one stream, and in all streams. */
  streamWindow: 1 << 20,
  sessionWindow: 4 << 20,
  /** Milliseconds until a connection is a working tunnel. */
  handshakeMs: 10_000,
} as const

/** HTTP/2 settings of both ends. */
export const tunnelSettings: Settings = {
  enablePush: false,
  initialWindowSize: tunnelLimits.streamWindow,
  maxConcurrentStreams: tunnelLimits.streams,
}

/** Milliseconds. `every`: between two checks. `timeout`: until a ping without an answer ends the tunnel. */
export interface PingTimes {
  every: number
  timeout: number
}

/** The pings also keep the mapping of a NAT. The timeout equals gRPC's keepalive timeout. */
const pingTimes: PingTimes = { every: 5000, timeout: 15_000 }

/**
 * Calls `end` when the other end is silent, or when it has begun to end the session: Node waits for the end
 * of open streams.
 */
export function endWhenSilent(
  session: Http2Session,
  end: () => void,
  { every, timeout }: PingTimes = pingTimes,
): void {
  let pingedAt: number | null = null
  const timer = setInterval(() => {
    if (session.closed || session.destroyed) return end()
    if (pingedAt !== null) {
      if (ownNow() - pingedAt >= timeout) end()
      return
    }
    pingedAt = ownNow()
    session.ping((error) => {
      if (error === null) pingedAt = null
    })
  }, every)
  session.once('close', () => clearInterval(timer))
}

/** Milliseconds in which the last bytes of a connection must arrive after one end has closed. */
const lingerMs = 5000

/**
 * Connects two streams until both have ended. Each is read only as fast as the other accepts data. Sockets
 * need `allowHalfOpen`: otherwise the bytes that return after one end has finished are lost.
 */
export function relay(one: Duplex, other: Duplex): void {
  const connect = (from: Duplex, to: Duplex): void => {
    from.on('error', () => to.destroy())
    from.once('close', () => {
      if (to.destroyed) return
      to.end()
      const timer = setTimeout(() => to.destroy(), lingerMs)
      to.once('close', () => clearTimeout(timer))
    })
    from.pipe(to)
  }
  connect(one, other)
  connect(other, one)
}
