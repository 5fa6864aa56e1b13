// An agent's tunnels to replicas that this test simulates.
import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { connect, type ClientHttp2Session } from 'node:http2'
import {
  connect as connectTcp,
  createServer as createTcp,
  type AddressInfo,
  type Server,
  type Socket,
} from 'node:net'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer } from 'node:tls'
import { createLogger } from '@phonerack/shared'
import { tunnelLimits, tunnelName, tunnelProtocol, tunnelSettings } from '@phonerack/shared/tunnel'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { makeIdentity } from '../../testing/agent.js'
import { createTestCa, type Leaf, type TestCa } from '../../testing/pki.js'
import { readTunnels, writeTunnels } from './state.js'
import type { TunnelIdentity } from './tunnel.js'
import { keepTunnels, type Tunnels, type TunnelsOptions } from './tunnels.js'

const dir = mkdtempSync(join(tmpdir(), 'phonerack-dial-'))
const target = join(dir, 'grpc.sock')
const log = createLogger('test')
log.level = 'silent'
const wait = { timeout: 60_000 }
let ca: TestCa
let identity: TunnelIdentity
let echo: Server
let tunnels: Tunnels
const replicas: Replica[] = []

beforeAll(async () => {
  ca = await createTestCa()
  identity = await makeIdentity(ca)
  echo = createTcp({ allowHalfOpen: true }, (socket) => socket.pipe(socket))
  await new Promise<void>((resolve) => echo.listen(target, resolve))
})
afterEach(async () => {
  await tunnels.stop()
  for (const replica of replicas.splice(0)) replica.close()
})
afterAll(() => {
  echo.close()
  rmSync(dir, { recursive: true, force: true })
})

interface Replica {
  address: string
  /** Sessions in tunnels that arrived, oldest first. */
  sessions: ClientHttp2Session[]
  /** SHA-256 of the certificates that the sessions presented. */
  certificates: string[]
  close(): void
}

interface ReplicaOptions {
  leaf?: Leaf
  protocol?: string
  port?: number
}

async function replica({ leaf, protocol = tunnelProtocol, port = 0 }: ReplicaOptions = {}): Promise<Replica> {
  const { certificatePem: cert, privateKeyPem: key } = leaf ?? (await ca.issue({ dns: tunnelName }, 'server'))
  const sockets = new Set<Socket>()
  const sessions: ClientHttp2Session[] = []
  const certificates: string[] = []
  const options = {
    cert,
    key,
    ca: ca.caPem,
    requestCert: true,
    rejectUnauthorized: false,
    ALPNProtocols: [protocol],
  }
  const server = createServer(options, (socket) => {
    const session = connect('http://a', { createConnection: () => socket, settings: tunnelSettings })
    session.on('error', () => undefined)
    sessions.push(session)
    certificates.push(socket.getPeerCertificate().fingerprint256)
  })
  server.on('connection', (socket: Socket) => {
    sockets.add(socket.on('error', () => undefined))
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  const made = {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    sessions,
    certificates,
    close() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
  replicas.push(made)
  return made
}

const keep = (options: Partial<TunnelsOptions> = {}): void => {
  tunnels = keepTunnels({
    identity: () => identity,
    target,
    log,
    times: { pauses: { first: 10, cap: 50 } },
    ...options,
  })
}

const isOpen = (...names: string[]) => expect.poll(() => [...tunnels.open].sort(), wait).toEqual(names)

async function echoed(session: ClientHttp2Session | undefined): Promise<string> {
  if (!session) throw new Error('no session')
  const stream = session.request({ ':method': 'CONNECT', ':authority': 'a' }, { endStream: false })
  stream.setEncoding('utf8')
  stream.end('hello')
  let text = ''
  stream.on('data', (chunk: string) => (text += chunk))
  await once(stream, 'end')
  return text
}

it('opens one tunnel to each replica that offers a tunnel, and connects it to the agent server', async () => {
  const [one, two] = [await replica(), await replica()]
  keep({ onChange: (state) => writeTunnels(dir, state, log) })
  for (let times = 0; times < 3; times += 1) {
    tunnels.offer({ replica: 'one', address: one.address })
    tunnels.offer({ replica: 'two', address: two.address })
  }
  await isOpen('one', 'two')
  for (const { sessions } of [one, two]) {
    expect(sessions).toHaveLength(1)
    expect(await echoed(sessions[0])).toBe('hello')
  }
  expect(readTunnels(dir)).toEqual([
    { replica: 'one', address: one.address, isOpen: true, fault: null },
    { replica: 'two', address: two.address, isOpen: true, fault: null },
  ])
})

it('opens the tunnel again after it ended, at the address of the newest offer', async () => {
  const before = await replica()
  keep()
  tunnels.offer({ replica: 'one', address: before.address })
  await isOpen('one')
  before.sessions[0]?.destroy()
  await expect.poll(() => before.sessions.length, wait).toBe(2)
  await isOpen('one')
  const after = await replica()
  tunnels.offer({ replica: 'one', address: after.address })
  before.close()
  await expect.poll(() => after.sessions.length, wait).toBe(1)
  await isOpen('one')
})

it('forgets a replica that no longer offers a tunnel, and accepts a later offer', async () => {
  const gone = await replica()
  gone.close()
  const faults: (string | null)[] = []
  let known = 0
  keep({
    onChange(state) {
      known = state.length
      faults.push(...state.map(({ fault }) => fault))
    },
    times: { pauses: { first: 10, cap: 50 }, forgetAfter: 100 },
  })
  tunnels.offer({ replica: 'one', address: gone.address })
  expect(known).toBe(1)
  await expect.poll(() => known, wait).toBe(0)
  expect(faults.join()).toContain('ECONNREFUSED')
  const back = await replica({ port: Number(gone.address.split(':')[1]) })
  tunnels.offer({ replica: 'one', address: back.address })
  await isOpen('one')
})

it('opens no tunnel to a server that is not a replica of its control plane', async () => {
  const stranger = await createTestCa()
  const others = [
    await replica({ leaf: await stranger.issue({ dns: tunnelName }, 'server') }),
    // Another host of the same authority.
    await replica({ leaf: await ca.issue({ dns: 'hst_bbbbbbbbbbbb.host.phonerack.internal' }, 'server') }),
    await replica({ leaf: await ca.issue({ dns: tunnelName }, 'client') }),
    await replica({ protocol: 'h2' }),
  ]
  const faults = new Map<string, string>()
  keep({
    onChange(state) {
      for (const { replica: id, fault } of state) if (fault !== null) faults.set(id, fault)
    },
  })
  for (const [at, { address }] of others.entries()) tunnels.offer({ replica: `other-${at}`, address })
  await expect.poll(() => faults.size, wait).toBe(4)
  expect(tunnels.open).toEqual([])
})

it('ends a tunnel whose replica is silent, and opens another tunnel', async () => {
  const there = await replica()
  const { port } = new URL(`tcp://${there.address}`)
  // The router forgets the connection: both ends stay open.
  const clients: Socket[] = []
  const forgotten = new Set<Socket>()
  const router = createTcp((client) => {
    const server = connectTcp(Number(port), '127.0.0.1')
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      from.on('error', () => undefined)
      from.on('data', (chunk) => {
        if (!forgotten.has(client)) to.write(chunk)
      })
    }
    clients.push(client)
  })
  await new Promise<void>((resolve) => router.listen(0, '127.0.0.1', resolve))
  keep({ times: { pauses: { first: 10, cap: 50 }, pings: { every: 20, timeout: 1000 } } })
  tunnels.offer({ replica: 'one', address: `127.0.0.1:${(router.address() as AddressInfo).port}` })
  await isOpen('one')
  for (const client of clients) forgotten.add(client)
  await expect.poll(() => there.sessions.length, wait).toBeGreaterThan(1)
  await isOpen('one')
  router.close()
})

it('limits the connections in a tunnel, and the replicas', async () => {
  const there = await replica()
  keep({ times: { replicas: 2 } })
  for (const id of ['one', 'two', 'three']) tunnels.offer({ replica: id, address: there.address })
  await isOpen('one', 'two')
  const [session] = there.sessions
  let answered = 0
  for (let at = 0; at < 40; at += 1) {
    const stream = session?.request({ ':method': 'CONNECT', ':authority': 'a' }, { endStream: false })
    stream?.on('error', () => undefined)
    stream?.once('response', () => (answered += 1))
  }
  await expect.poll(() => answered, wait).toBe(tunnelLimits.streams)
  expect(there.sessions).toHaveLength(2)
})

it('closes a connection when its own server does not run, and keeps the tunnel', async () => {
  const there = await replica()
  keep({ target: join(dir, 'nobody.sock') })
  tunnels.offer({ replica: 'one', address: there.address })
  await isOpen('one')
  const stream = there.sessions[0]?.request({ ':method': 'CONNECT', ':authority': 'a' }, { endStream: false })
  stream?.on('error', () => undefined)
  if (stream) await once(stream, 'close')
  expect(tunnels.open).toEqual(['one'])
})

it('presents the certificate of its host, and the renewed certificate in later tunnels', async () => {
  const there = await replica()
  const renewed = await makeIdentity(ca)
  let current = identity
  keep({ identity: () => current })
  tunnels.offer({ replica: 'one', address: there.address })
  await isOpen('one')
  current = renewed
  there.sessions[0]?.destroy()
  await expect.poll(() => there.sessions.length, wait).toBe(2)
  await isOpen('one')
  const fingerprints = [identity, renewed].map(
    ({ certificatePem }) => new X509Certificate(certificatePem).fingerprint256,
  )
  expect(there.certificates).toEqual(fingerprints)
})
