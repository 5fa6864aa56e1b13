// A network that drops all packets between a client and the broker, and later forwards them again.
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect as connectTls } from 'node:tls'
import { openBus } from '@phonerack/shared'
import { writeBrokerConfig } from '@phonerack/shared/broker'
import { afterAll, expect, it, vi } from 'vitest'
import { startChild, waitUntil } from '../processes/child.js'
import { freePort } from '../processes/ports.js'
import { findNats, startNats } from './index.js'

const dir = mkdtempSync(path.join(tmpdir(), 'phonerack-nats-cut-'))
afterAll(() => rmSync(dir, { recursive: true, force: true }))

interface Link {
  readonly port: number
  /** Connections that reach the broker. */
  readonly passing: ReadonlySet<Socket>
  cut(): void
  restore(): void
  close(): void
}

/**
 * While the network is cut, no byte passes. New connections reach the broker when the network is restored, as
 * after lost SYN packets.
 */
async function openLink(port: number): Promise<Link> {
  const passing = new Set<Socket>()
  const sockets = new Set<Socket>()
  let held: (() => void)[] | null = null
  const server = createServer((client) => {
    sockets.add(client)
    client.on('error', () => client.destroy())
    const pass = (): void => {
      const broker = connect({ host: '127.0.0.1', port })
      passing.add(broker)
      for (const [one, other] of [
        [client, broker],
        [broker, client],
      ] as const) {
        sockets.add(one)
        one.on('data', (bytes) => other.write(bytes))
        one.on('error', () => one.destroy())
        one.on('close', () => {
          passing.delete(broker)
          other.destroy()
        })
        one.resume()
      }
    }
    if (held === null) return pass()
    client.pause()
    held.push(pass)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    passing,
    cut() {
      held = []
      for (const socket of sockets) socket.pause()
    },
    restore() {
      for (const socket of sockets) socket.resume()
      const waiting = held ?? []
      held = null
      for (const pass of waiting) pass()
    },
    close() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}

it('reconnects within 5 s after a minute without a network, with one connection that gets each message once', async () => {
  const broker = await startNats({ dir: path.join(dir, 'cut') })
  const link = await openLink(broker.port)
  const printed = vi.spyOn(console, 'log')
  const said: string[] = []
  const common = { creds: readFileSync(broker.controlPlaneCredsFile, 'utf8'), waitMs: 10_000 }
  const bus = await openBus({
    ...common,
    url: `nats://127.0.0.1:${link.port}`,
    name: 'cut',
    onLost: () => said.push('lost'),
    onReturned: () => said.push('returned'),
  })
  const peer = await openBus({ ...common, url: broker.url, name: 'peer' })
  try {
    const heard: number[] = []
    bus.subscribe('counted', (message) => heard.push(Number(message)))
    let sent = 0
    const sending = setInterval(() => peer.publish('counted', (sent += 1)), 10)
    await expect.poll(() => heard.length).toBeGreaterThan(10)
    link.cut()
    await sleep(60_000)
    expect([bus.connected, said]).toEqual([false, ['lost']])
    link.restore()
    const before = heard.length
    await vi.waitFor(() => expect(heard.length).toBeGreaterThan(before), 5000)
    // Connection attempts from the time of the cut now get no answer from the client, so the broker closes
    // them.
    await expect.poll(() => link.passing.size, { timeout: 20_000 }).toBe(1)
    await sleep(5000)
    clearInterval(sending)
    expect(said).toEqual(['lost', 'returned'])
    expect(new Set(heard).size).toBe(heard.length)
    expect(printed).not.toHaveBeenCalled()
  } finally {
    printed.mockRestore()
    await bus.close()
    await peer.close()
    link.close()
    await broker.stop()
  }
})

it('writes a configuration with which the broker waits 4 s for a handshake of TLS', async () => {
  const own = path.join(dir, 'tls')
  const [certFile, keyFile] = [path.join(dir, 'cert.pem'), path.join(dir, 'key.pem')]
  execFileSync(
    'openssl',
    ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', keyFile]
      .concat(['-out', certFile, '-days', '2', '-subj', '/CN=localhost'])
      .concat(['-addext', 'subjectAltName=IP:127.0.0.1']),
    { stdio: 'ignore' },
  )
  const port = await freePort()
  const { configFile } = await writeBrokerConfig({
    dir: own,
    host: '127.0.0.1',
    port,
    storeDir: path.join(own, 'store'),
    tls: { certFile, keyFile },
  })
  const server = await startChild({
    command: await findNats(),
    args: ['-c', configFile],
    cwd: own,
    output: () => undefined,
    env: { PATH: process.env['PATH'] },
    recordFile: path.join(own, 'nats.pid.json'),
  })
  try {
    const greet = (): Promise<Socket | null> =>
      new Promise((resolve) => {
        const socket = connect({ host: '127.0.0.1', port })
        socket.once('error', () => resolve(null))
        socket.once('data', () => resolve(socket))
      })
    await waitUntil('nats-server', server, 30_000, async () => {
      const socket = await greet()
      socket?.destroy()
      return socket !== null
    })
    const socket = await greet()
    if (socket === null) throw new Error('the broker does not greet')
    let isClosed = false
    socket.on('close', () => (isClosed = true))
    // `resume` also reads the end of the connection.
    socket.resume()
    await sleep(4000)
    expect(isClosed).toBe(false)
    const tls = connectTls({ socket, ca: readFileSync(certFile), host: '127.0.0.1' })
    await once(tls, 'secureConnect')
    tls.destroy()
  } finally {
    await server.stop()
  }
})
