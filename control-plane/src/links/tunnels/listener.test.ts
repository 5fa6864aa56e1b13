// Hostile connections to the listener for tunnels.
import { once } from 'node:events'
import { connect as connectHttp2 } from 'node:http2'
import { connect as connectTcp, type Socket } from 'node:net'
import { createLogger } from '@phonerack/shared'
import { tunnelProtocol } from '@phonerack/shared/tunnel'
import { afterEach, beforeAll, expect, it } from 'vitest'
import { Authority, newAuthority } from '../../base/pki/authority.js'
import { connectAs, dial, hostKeys, type HostKeys } from '../../testing/dialler.js'
import { type GateLimits } from './gate.js'
import { listenForTunnels, type TunnelListener } from './listener.js'
import { startTunnel } from './tunnel.js'

const hostId = 'hst_aaaaaaaaaaaa'
const log = createLogger('test')
log.level = 'silent'
const wide: GateLimits = {
  waiting: 1000,
  waitingPerNetwork: 1000,
  failures: 1000,
  failuresPerSite: 1000,
  windowMs: 3_600_000,
  trustMs: 3_600_000,
  attemptsPerHost: 1000,
}
let authority: Authority
let stranger: Authority
let listener: TunnelListener
/** Hosts whose connection became a tunnel. */
let accepted: string[]
beforeAll(async () => {
  authority = await Authority.of(await newAuthority())
  stranger = await Authority.of(await newAuthority())
})
afterEach(() => listener.close())

async function listen(limits: GateLimits = wide, handshakeMs = 60_000): Promise<void> {
  accepted = []
  listener = await listenForTunnels({
    listen: { host: '127.0.0.1', port: 0 },
    credentials: await authority.issueTunnel(),
    log,
    limits,
    handshakeMs,
    async accept({ hostId: id, socket }) {
      if ((await startTunnel(socket)) === null) return 'no tunnel'
      accepted.push(id)
      return null
    },
  })
}

const tcp = (): Socket => {
  const socket = connectTcp(listener.port, '127.0.0.1')
  socket.on('error', () => undefined)
  return socket
}
const closed = async (socket: Socket): Promise<void> => {
  // The end of the other side is only seen by a reader.
  socket.resume()
  if (!socket.closed) await once(socket, 'close')
}

it('closes each connection that does not come from a host', async () => {
  await listen()
  const host = await hostKeys(authority, hostId)
  const foreign = await hostKeys(stranger, hostId)
  const { certificatePem: cert, privateKeyPem: key } = await authority.issueClient()
  const plain = tcp()
  plain.write('GET / HTTP/1.1\r\nhost: a\r\n\r\n')
  const cut = tcp()
  // The beginning of a ClientHello.
  cut.end(Buffer.from('160301ffff0100', 'hex'))
  const attempts: [string, Socket][] = [
    ['plain HTTP', plain],
    ['half of a hello', cut],
    ['no certificate', connectAs({ ca: authority.caPem }, listener.port)],
    ['the control plane', connectAs({ ca: authority.caPem, cert, key }, listener.port)],
    ['another authority', connectAs({ ...foreign, ca: authority.caPem }, listener.port)],
    ['no protocol', connectAs(host, listener.port, { ALPNProtocols: [] })],
    ['another protocol', connectAs(host, listener.port, { ALPNProtocols: ['h2'] })],
    ['TLS 1.2', connectAs(host, listener.port, { minVersion: 'TLSv1.2', maxVersion: 'TLSv1.2' })],
  ]
  for (const [, socket] of attempts) await closed(socket)
  expect(accepted).toEqual([])
  await dial(host, listener.port, () => undefined)
  await expect.poll(() => accepted).toEqual([hostId])
})

it('closes connections of a host that never become a tunnel', async () => {
  await listen(wide, 1000)
  const host = await hostKeys(authority, hostId)
  const mute = tcp()
  const silent = connectAs(host, listener.port)
  const garbage = connectAs(host, listener.port)
  await once(garbage, 'secureConnect')
  garbage.write(Buffer.alloc(100_000, 0xff))
  // Both ends are HTTP/2 clients.
  const wrongRole = connectAs(host, listener.port)
  await once(wrongRole, 'secureConnect')
  const client = connectHttp2('http://a', { createConnection: () => wrongRole })
  client.on('error', () => undefined)
  for (const socket of [mute, silent, garbage, wrongRole]) await closed(socket)
  expect(accepted).toEqual([])
})

it('takes a host while its network holds all connections that may wait, and ends the oldest of them', async () => {
  await listen({ ...wide, waitingPerNetwork: 5 })
  const host = await hostKeys(authority, hostId)
  const waiting: Socket[] = []
  for (let at = 0; at < 5; at += 1) {
    const socket = tcp()
    await once(socket, 'connect')
    socket.resume()
    waiting.push(socket)
  }
  const open = await dial(host, listener.port, () => undefined)
  const [oldest, ...others] = waiting
  if (oldest) await closed(oldest)
  expect(others.some(({ closed: isClosed }) => isClosed)).toBe(false)
  // An open tunnel does not make room for others.
  const more = Array.from({ length: 10 }, tcp)
  for (const socket of [...others, ...more.slice(0, 5)]) await closed(socket)
  expect(open.session.destroyed).toBe(false)
})

it('refuses a network after its failures, but not one whose host has opened a tunnel', async () => {
  const isRefused = (keys: HostKeys) =>
    dial(keys, listener.port, () => undefined).then(
      () => false,
      () => true,
    )
  const fail = async (): Promise<void> => {
    for (let at = 0; at < 5; at += 1) {
      const socket = connectAs({ ca: authority.caPem }, listener.port)
      socket.resume()
      // A refusal first emits an error, for which `once` of `node:events` would reject.
      await new Promise((resolve) => socket.once('close', resolve))
    }
  }
  const host = await hostKeys(authority, hostId)
  await listen({ ...wide, failures: 3 })
  await fail()
  await expect.poll(() => isRefused(host)).toBe(true)
  await listener.close()
  await listen({ ...wide, failures: 3 })
  expect(await isRefused(host)).toBe(false)
  await fail()
  expect(await isRefused(host)).toBe(false)
})

it('refuses a host that opens tunnels too often', async () => {
  await listen({ ...wide, attemptsPerHost: 3 })
  const host = await hostKeys(authority, hostId)
  for (let at = 0; at < 3; at += 1) await dial(host, listener.port, () => undefined)
  await expect(dial(host, listener.port, () => undefined)).rejects.toThrow('refused')
  await dial(await hostKeys(authority, 'hst_bbbbbbbbbbbb'), listener.port, () => undefined)
  await expect.poll(() => accepted).toEqual([hostId, hostId, hostId, 'hst_bbbbbbbbbbbb'])
})

it('takes another certificate for new connections, and keeps those that are open', async () => {
  await listen()
  const host = await hostKeys(authority, hostId)
  const serialOf = async (): Promise<string> => {
    const socket = connectAs(host, listener.port, { ALPNProtocols: [tunnelProtocol] })
    await once(socket, 'secureConnect')
    const { serialNumber } = socket.getPeerCertificate()
    socket.destroy()
    return serialNumber
  }
  const open = await dial(host, listener.port, () => undefined)
  const before = await serialOf()
  listener.useCertificate(await authority.issueTunnel())
  expect(await serialOf()).not.toBe(before)
  expect(open.session.destroyed).toBe(false)
  // The client certificate is still requested.
  await closed(connectAs({ ca: authority.caPem }, listener.port))
  expect(accepted).toEqual([hostId])
})

it('accepts hosts of both authorities while one replaces the other, and of the next one afterwards', async () => {
  await listen()
  const [earlier, next] = [await hostKeys(authority, hostId), await hostKeys(stranger, hostId)]
  const ca = authority.caPem + stranger.caPem
  const use = async (signing: Authority, caPem: string) =>
    listener.useCertificate({ ...(await signing.issueTunnel()), caPem })
  const outcomes = async () =>
    (
      await Promise.allSettled(
        [earlier, next].map((keys) => dial({ ...keys, ca }, listener.port, () => undefined)),
      )
    ).map(({ status }) => status)
  expect(await outcomes()).toEqual(['fulfilled', 'rejected'])
  await use(authority, ca)
  expect(await outcomes()).toEqual(['fulfilled', 'fulfilled'])
  await use(stranger, stranger.caPem + authority.caPem)
  expect(await outcomes()).toEqual(['fulfilled', 'fulfilled'])
  await use(stranger, stranger.caPem)
  expect(await outcomes()).toEqual(['rejected', 'fulfilled'])
})
