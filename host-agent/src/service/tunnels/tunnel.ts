/**
 * One tunnel to a replica of the control plane. The agent opens the connection and then answers in it, as the HTTP/2 server:
 * each stream that the replica opens is a connection to the agent's gRPC server. docs/decisions/0227
 */
import { performServerHandshake, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2'
import { connect as connectTo } from 'node:net'
import { connect, type TLSSocket } from 'node:tls'
import { onAbort } from '@phonerack/shared'
import {
  endWhenSilent,
  relay,
  tunnelLimits,
  tunnelName,
  tunnelProtocol,
  tunnelSettings,
  type PingTimes,
} from '@phonerack/shared/tunnel'
import { splitHostPort } from '../../base/host-port.js'

/** The host's own certificate and its authority, PEM. */
export interface TunnelIdentity {
  caPem: string
  certificatePem: string
  privateKeyPem: string
}

interface TunnelOptions {
  /** `host:port`, an IPv6 address in brackets. */
  address: string
  identity: TunnelIdentity
  /** The Unix socket of the agent's gRPC server. */
  target: string
  /** Ends the tunnel. */
  signal: AbortSignal
  /** Called when the replica has accepted the tunnel. */
  onOpen(): void
  pings?: PingTimes | undefined
  /** Milliseconds until the tunnel must be open. */
  handshakeMs?: number | undefined
}

/**
 * Resolves when an open tunnel has ended.
 * @throws Error when the tunnel was never open
 */
export async function runTunnel(options: TunnelOptions): Promise<void> {
  const { signal, handshakeMs = tunnelLimits.handshakeMs } = options
  const socket = connectSecurely(options)
  const forget = onAbort(signal, () => socket.destroy())
  const timer = setTimeout(
    () => socket.destroy(new Error(`the tunnel was not open within ${handshakeMs} ms`)),
    handshakeMs,
  )
  try {
    await secured(socket)
    if (socket.alpnProtocol !== tunnelProtocol) throw new Error('the other end has no tunnels')
    const session = performServerHandshake(socket, { settings: tunnelSettings })
    session.on('stream', (stream) => carry(stream, options.target))
    await ended(session, () => {
      clearTimeout(timer)
      session.setLocalWindowSize(tunnelLimits.sessionWindow)
      endWhenSilent(session, () => socket.destroy(), options.pings)
      options.onOpen()
    })
  } finally {
    clearTimeout(timer)
    forget()
    socket.destroy()
  }
}

function connectSecurely({ address, identity }: TunnelOptions): TLSSocket {
  return connect({
    ...splitHostPort(address),
    ca: identity.caPem,
    cert: identity.certificatePem,
    key: identity.privateKeyPem,
    // The authority gives this name to replicas only.
    servername: tunnelName,
    ALPNProtocols: [tunnelProtocol],
    minVersion: 'TLSv1.3',
  })
}

const secured = (socket: TLSSocket): Promise<void> =>
  new Promise((resolve, reject) => {
    socket.once('secureConnect', resolve)
    socket.on('error', reject)
    socket.once('close', () => reject(new Error('the connection ended')))
  })

function ended(session: ServerHttp2Session, onOpen: () => void): Promise<void> {
  return new Promise((resolve, reject) => {
    let isOpen = false
    let cause: unknown
    session.once('remoteSettings', () => {
      isOpen = true
      onOpen()
    })
    session.on('error', (error: unknown) => {
      cause = error
    })
    session.once('close', () => {
      if (isOpen) resolve()
      else reject(new Error('the control plane refused the tunnel, and its log has the reason', { cause }))
    })
  })
}

function carry(stream: ServerHttp2Stream, target: string): void {
  stream.on('error', () => stream.destroy())
  const local = connectTo({ path: target, allowHalfOpen: true })
  local.on('error', () => stream.destroy())
  local.once('connect', () => {
    if (stream.destroyed) return void local.destroy()
    stream.respond({ ':status': 200 })
    relay(stream, local)
  })
  stream.once('close', () => {
    if (local.connecting) local.destroy()
  })
}
