/**
 * The listener for the tunnels of host agents: mutual TLS, and limits for unauthenticated connections. Used by
 * `tunnels.ts`.
 */
import { constants } from 'node:crypto'
import { type AddressInfo, type Socket } from 'node:net'
import { createServer, type TLSSocket } from 'node:tls'
import { certificatesIn, type Logger } from '@phonerack/shared'
import { type Listen } from '@phonerack/shared/metrics'
import { tunnelLimits, tunnelProtocol } from '@phonerack/shared/tunnel'
import { networkOf, unknownNetwork } from '../../base/failure-limit/network.js'
import { type Credentials } from '../../base/pki/authority.js'
import { Gate, gateLimits, type Entry, type GateLimits } from './gate.js'
import { hostOfCertificate } from './host-certificate.js'

/** A connection whose other end has proved to be a host. */
export interface Arrival {
  hostId: string
  /** SHA-256 of the host's certificate. */
  fingerprint: string
  socket: TLSSocket
}

interface TunnelListenerOptions {
  listen: Listen
  credentials: Credentials
  /** Takes over the socket. Resolves to the reason to refuse the host; null if the tunnel works. */
  accept(arrival: Arrival): Promise<string | null>
  log: Logger
  limits?: GateLimits | undefined
  /** Milliseconds until a connection must be a working tunnel. */
  handshakeMs?: number | undefined
}

export interface TunnelListener {
  port: number
  /** Sets the certificate and trusted authorities of new connections. */
  useCertificate(credentials: Credentials): void
  close(): Promise<void>
}

/** @throws Error when the address cannot be used */
export async function listenForTunnels(options: TunnelListenerOptions): Promise<TunnelListener> {
  const { listen, credentials, log, limits = gateLimits, handshakeMs = tunnelLimits.handshakeMs } = options
  const gate = new Gate(limits)
  let authorities = certificatesIn(credentials.caPem)
  const open = new Set<Socket>()
  /** Connections that are not yet tunnels, by the address and port of their other end. */
  const entered = new Map<string, { entry: Entry; settle: (outcome: 'opened' | 'failed') => void }>()

  const server = createServer({
    key: credentials.privateKeyPem,
    cert: credentials.certificatePem,
    ca: authorities,
    requestCert: true,
    // `hostOfCertificate` checks the certificate. The handshake proves that the other end has the key.
    rejectUnauthorized: false,
    ALPNProtocols: [tunnelProtocol],
    minVersion: 'TLSv1.3',
    // A resumed session would not prove possession of the key again.
    secureOptions: constants.SSL_OP_NO_TICKET,
    handshakeTimeout: handshakeMs,
  })

  server.prependListener('connection', (socket: Socket) => {
    socket.on('error', () => socket.destroy())
    const { remoteAddress: address } = socket
    const network = address === undefined ? unknownNetwork : networkOf(address)
    const entry = gate.enter(network, performance.now(), () => socket.destroy())
    if (entry === null) return void socket.destroy()
    const timer = setTimeout(() => socket.destroy(), handshakeMs)
    const key = keyOf(socket)
    const settle = (outcome: 'opened' | 'failed'): void => {
      clearTimeout(timer)
      entered.delete(key)
      entry.leave(outcome, performance.now())
    }
    entered.set(key, { entry, settle })
    open.add(socket)
    socket.once('close', () => {
      open.delete(socket)
      settle('failed')
    })
  })
  // Node.js closes the raw connection after this event.
  server.on('tlsClientError', (error, socket) => {
    log.debug({ err: error, address: socket.remoteAddress }, 'a TLS handshake for a tunnel failed')
    socket.destroy()
  })
  server.on('secureConnection', (socket) => {
    socket.on('error', () => socket.destroy())
    const { remoteAddress: address } = socket
    const key = keyOf(socket)
    takeOver(socket)
      .then((refusal) => {
        if (refusal === null) return entered.get(key)?.settle('opened')
        log.warn({ address, reason: refusal }, 'refused a tunnel')
        socket.destroy()
      })
      .catch((error: unknown) => {
        log.warn({ err: error, address }, 'could not accept a tunnel')
        socket.destroy()
      })
  })

  async function takeOver(socket: TLSSocket): Promise<string | null> {
    const certificate = socket.getPeerX509Certificate()
    if (socket.alpnProtocol !== tunnelProtocol) return 'it does not use the protocol of tunnels'
    if (certificate === undefined) return 'it has no certificate'
    const hostId = hostOfCertificate(certificate, authorities, new Date())
    if (hostId === null) return 'it presents no valid certificate of a host'
    const { fingerprint256: fingerprint } = certificate
    if (entered.get(keyOf(socket))?.entry.present(fingerprint, performance.now()) !== true)
      return `${hostId}: it opens tunnels too often`
    const refusal = await options.accept({ hostId, fingerprint, socket })
    return refusal === null ? null : `${hostId}: ${refusal}`
  }

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(listen.port, listen.host, resolve)
  })
  return {
    port: (server.address() as AddressInfo).port,
    useCertificate({ privateKeyPem: key, certificatePem: cert, caPem }) {
      authorities = certificatesIn(caPem)
      server.setSecureContext({
        key,
        cert,
        ca: authorities,
        minVersion: 'TLSv1.3',
        secureOptions: constants.SSL_OP_NO_TICKET,
      })
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const socket of open) socket.destroy()
      }),
  }
}

const keyOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`
