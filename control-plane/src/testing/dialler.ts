/**
 * A host that opens tunnels, for tests, with an identity from the authority. A tunnel's far end may be a TCP
 * port or a function.
 */
import { generateKeyPairSync } from 'node:crypto'
import { performServerHandshake, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2'
import { connect as connectTo } from 'node:net'
import { connect, type ConnectionOptions, type TLSSocket } from 'node:tls'
import { relay, tunnelName, tunnelProtocol, tunnelSettings } from '@phonerack/shared/tunnel'
import { type Authority } from '../base/pki/authority.js'

export interface HostKeys {
  ca: string
  cert: string
  key: string
}

export async function hostKeys(
  authority: Pick<Authority, 'caPem' | 'issueHost'>,
  hostId: string,
): Promise<HostKeys> {
  const { publicKey, privateKey } = generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  })
  return { ca: authority.caPem, cert: await authority.issueHost(hostId, publicKey), key: privateKey }
}

/**
 * Opens a TLS connection to a listener for tunnels on this machine. The connection's errors are ignored, so
 * callers wait for `close`.
 */
export function connectAs(keys: Partial<HostKeys>, port: number, options: ConnectionOptions = {}): TLSSocket {
  const socket = connect({
    port,
    host: '127.0.0.1',
    ...keys,
    servername: tunnelName,
    ALPNProtocols: [tunnelProtocol],
    minVersion: 'TLSv1.3',
    ...options,
  })
  socket.on('error', () => undefined)
  return socket
}

export interface Dialled {
  /** Streams that the replica has opened. */
  readonly streams: number
  readonly session: ServerHttp2Session
  readonly closed: Promise<void>
}

/** Opens a tunnel, whose streams lead to a TCP port of this machine or to `target`. Resolves when the replica uses it. */
export async function dial(
  keys: HostKeys,
  port: number,
  target: number | ((stream: ServerHttp2Stream) => void),
): Promise<Dialled> {
  const socket = connectAs(keys, port)
  await new Promise<void>((resolve, reject) => {
    socket.once('secureConnect', resolve)
    socket.once('close', () => reject(new Error('refused')))
  })
  const session = performServerHandshake(socket, { settings: tunnelSettings })
  session.on('error', () => undefined)
  const state = { streams: 0 }
  session.on('stream', (stream) => {
    state.streams += 1
    stream.on('error', () => undefined)
    if (typeof target === 'function') return target(stream)
    const local = connectTo(target, '127.0.0.1')
    local.on('error', () => stream.destroy())
    local.once('connect', () => {
      stream.respond({ ':status': 200 })
      relay(stream, local)
    })
  })
  const closed = new Promise<void>((resolve) => session.once('close', () => resolve()))
  const isOpen = new Promise<boolean>((resolve) => session.once('remoteSettings', () => resolve(true)))
  if (!(await Promise.race([isOpen, closed.then(() => false)]))) throw new Error('refused')
  return {
    get streams() {
      return state.streams
    },
    session,
    closed,
  }
}
