import { spawn, type ChildProcess } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { getServers, setServers } from 'node:dns'
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import { openBus, type Bus } from './bus.js'

let broker: ChildProcess | null = null
let open: Bus[] = []

afterEach(async () => {
  for (const bus of open) await bus.close()
  open = []
  broker?.kill('SIGKILL')
  broker = null
})

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

const startBroker = (port: number): void => {
  broker = spawn('nats-server', ['-a', '127.0.0.1', '-p', String(port)], { stdio: 'ignore' })
}

it('finds the broker by the names of this machine, without a question to a name server', async () => {
  const port = await freePort()
  startBroker(port)
  // A name server that does not answer.
  const silent = createSocket('udp4')
  let asked = 0
  silent.on('message', () => (asked += 1))
  silent.bind(0, '127.0.0.1')
  await once(silent, 'listening')
  const before = getServers()
  setServers([`127.0.0.1:${silent.address().port}`])
  try {
    const bus = await openBus({ url: `nats://localhost:${port}`, name: 'test', waitMs: 30_000 })
    open.push(bus)
    expect(bus.connected).toBe(true)
    expect(asked).toBe(0)
  } finally {
    setServers(before)
    silent.close()
  }
})

it('says once that the broker is lost, once that it is back, and keeps its subscriptions', async () => {
  const port = await freePort()
  const said: string[] = []
  const bus = await openBus({
    url: `nats://127.0.0.1:${port}`,
    name: 'test',
    waitMs: 0,
    onLost: () => said.push('lost'),
    onReturned: (awayMs) => said.push(awayMs > 0 ? 'returned' : 'never lost'),
  })
  open.push(bus)
  const heard: unknown[] = []
  const ended = bus.subscribe('ended', (message) => heard.push(message))
  bus.subscribe('kept', (message) => heard.push(message))
  ended.unsubscribe()
  let reconnects = 0
  bus.onReconnect(() => (reconnects += 1))
  for (const round of [1, 2]) {
    await expect.poll(() => said.length).toBe(round * 2 - 1)
    expect(bus.connected).toBe(false)
    bus.publish('kept', 'while it is lost')
    startBroker(port)
    await expect.poll(() => bus.connected).toBe(true)
    for (const subject of ['ended', 'kept']) bus.publish(subject, round)
    await expect.poll(() => heard.length).toBe(round)
    if (round === 1) broker?.kill('SIGKILL')
  }
  expect(said).toEqual(['lost', 'returned', 'lost', 'returned'])
  expect(heard).toEqual([1, 2])
  expect(reconnects).toBe(2)
})
