import { once } from 'node:events'
import { connect, performServerHandshake, type ServerHttp2Stream } from 'node:http2'
import { connect as connectTcp, createServer, type Server, type Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { afterEach, expect, it } from 'vitest'
import { endWhenSilent, relay, tunnelLimits, tunnelSettings } from './index.js'

const open: Server[] = []
afterEach(() => {
  for (const server of open.splice(0)) server.close()
})

/** A connection between two sockets. */
async function pair(): Promise<[Socket, Socket]> {
  const server = createServer({ allowHalfOpen: true })
  open.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const accepted = once(server, 'connection')
  const one = connectTcp(address !== null && typeof address === 'object' ? address.port : 0, '127.0.0.1')
  const [other] = (await accepted) as [Socket]
  for (const socket of [one, other]) socket.on('error', () => undefined)
  return [one, other]
}

/** A session over a connection, from its HTTP/2 client's side. */
async function tunnel(onStream: (stream: ServerHttp2Stream) => void) {
  const [near, far] = await pair()
  const answering = performServerHandshake(far, { settings: tunnelSettings })
  answering.on('error', () => undefined)
  answering.on('stream', onStream)
  const asking = connect('http://a', { createConnection: () => near, settings: tunnelSettings })
  asking.on('error', () => undefined)
  await once(asking, 'remoteSettings')
  return { near, far, asking, answering }
}

const connectStream = { ':method': 'CONNECT', ':authority': 'a' }

it('carries every byte in both directions, to the last one before an end', async () => {
  const { asking } = await tunnel((stream) => {
    stream.respond({ ':status': 200 })
    stream.pipe(stream)
  })
  const [client, local] = await pair()
  relay(local, asking.request(connectStream, { endStream: false }))
  const sent = Buffer.alloc(3_000_000, 'abcdefghijk')
  const chunks: Buffer[] = []
  client.on('data', (chunk: Buffer) => chunks.push(chunk))
  client.end(sent)
  await once(client, 'close')
  expect(Buffer.concat(chunks).equals(sent)).toBe(true)
  asking.destroy()
})

it('does not read more than the other end takes', async () => {
  let streams: ServerHttp2Stream[] = []
  const { asking } = await tunnel((stream) => {
    stream.respond({ ':status': 200 })
    streams = [...streams, stream]
  })
  let read = 0
  const chunk = Buffer.alloc(16_384)
  const total = 64 << 20
  const source = new Duplex({
    read() {
      read += chunk.length
      this.push(read > total ? null : chunk)
    },
    write: (_chunk, _encoding, done) => done(),
  })
  relay(source, asking.request(connectStream, { endStream: false }))
  await expect.poll(() => read).toBeGreaterThan(tunnelLimits.streamWindow)
  // Nothing here waits for a clock: within these turns, a source without a limit is read to its end.
  for (let turn = 0; turn < 2000; turn += 1) await new Promise((resolve) => setImmediate(resolve))
  expect(read).toBeLessThan(2 * tunnelLimits.streamWindow)
  let arrived = 0
  streams[0]?.on('data', (data: Buffer) => (arrived += data.length))
  await expect.poll(() => arrived).toBe(total)
  asking.destroy()
})

it('opens no more streams at a time than the limit', async () => {
  let count = 0
  const { asking } = await tunnel((stream) => {
    count += 1
    stream.respond({ ':status': 200 })
    stream.on('error', () => undefined)
  })
  const streams = Array.from({ length: 40 }, () => asking.request(connectStream, { endStream: false }))
  for (const stream of streams) stream.on('error', () => undefined)
  await expect.poll(() => count).toBe(tunnelLimits.streams)
  for (const stream of streams) stream.close()
  asking.destroy()
})

it('ends a session whose other end is silent, and no other', async () => {
  const live = await tunnel(() => undefined)
  endWhenSilent(live.asking, () => live.asking.destroy(), { every: 20, timeout: 5000 })
  // No program reads at the other end of this connection, as after a router has dropped it.
  const silent = await pair()
  const asking = connect('http://a', { createConnection: () => silent[0], settings: tunnelSettings })
  asking.on('error', () => undefined)
  endWhenSilent(asking, () => asking.destroy(), { every: 20, timeout: 100 })
  await once(asking, 'close')
  expect(live.asking.destroyed).toBe(false)
  live.asking.destroy()
  silent[1].destroy()
})
