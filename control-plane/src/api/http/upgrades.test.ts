/**
 * Upgrades of clients that have already disconnected, over real sockets: none may reach the handler
 * of unhandled exceptions.
 */
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import { createNetworkOf, keepAddresses, unknownNetwork } from '../../base/failure-limit/network.js'
import { trackOpen } from './lifetimes.js'
import { acceptUpgrades, givenBackAtMost, type Upgrade } from './upgrades.js'

const closers: (() => void)[] = []
afterEach(() => closers.splice(0).forEach((close) => close()))

const serve = async (take: Upgrade, onFault: (error: unknown) => void): Promise<number> => {
  const server = createServer()
  acceptUpgrades(server, take, onFault)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  closers.push(() => server.close())
  return (server.address() as AddressInfo).port
}

const handshake = [
  'GET /live/socket HTTP/1.1',
  'Host: localhost',
  'Connection: Upgrade',
  'Upgrade: websocket',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==',
].join('\r\n')

const open = async (port: number) => {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  socket.write(`${handshake}\r\n\r\n`)
  return socket
}

it('returns the unknown network for a client whose connection has ended', async () => {
  const networkOf = createNetworkOf([])
  const faults: unknown[] = []
  const seen: string[] = []
  const port = await serve(
    (request, socket) => {
      // From here on Node has no address.
      socket.destroy()
      seen.push(networkOf(request))
      return true
    },
    (error) => faults.push(error),
  )
  const client = await open(port)
  await once(client, 'close')
  expect([seen, faults]).toEqual([[unknownNetwork], []])
})

it('keeps the address of a connection that has ended', async () => {
  const server = createServer()
  keepAddresses(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  closers.push(() => server.close())
  const taken = once(server, 'connection')
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
  const [socket] = (await taken) as [Socket]
  client.destroy()
  socket.destroy()
  expect(socket.remoteAddress).toBe('127.0.0.1')
})

it('destroys the socket of an upgrade that fails, and keeps the error from the process', async () => {
  const faults: unknown[] = []
  const bug = new Error('a bug')
  const port = await serve(
    () => {
      throw bug
    },
    (error) => faults.push(error),
  )
  const socket = await open(port)
  await once(socket, 'close')
  // The server still responds.
  const again = await open(port)
  await once(again, 'close')
  expect(faults).toEqual([bug, bug])
})

/** Sends `count` requests on one connection, each after the answer to the last request. */
async function askOnOneConnection(port: number, count: number, lines: string): Promise<string[]> {
  const socket = connect(port, '127.0.0.1')
  const answers: string[] = []
  let read = ''
  for (let sent = 0; sent < count; sent += 1) {
    socket.write(`GET / HTTP/1.1\r\nHost: localhost\r\n${lines}\r\n\r\n`)
    while (!read.includes('\r\n\r\n')) read += String((await once(socket, 'data'))[0])
    answers.push(read)
    read = ''
  }
  closers.push(() => socket.destroy())
  return answers
}

it.each(['h2c', 'websocket'])(
  'answers requests that offer %s without an upgrade, on one connection and in constant memory',
  async (protocol) => {
    const server: Server = createServer((_request, response) => response.writeHead(204).end())
    const open = trackOpen(server)
    acceptUpgrades(
      server,
      () => false,
      () => undefined,
    )
    const listeners: number[] = []
    let socket: Socket | undefined
    server.on('request', (request) => {
      socket = request.socket
      listeners.push(socket.eventNames().reduce((sum, name) => sum + request.socket.listenerCount(name), 0))
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    closers.push(() => server.close())
    const offer = `Connection: Upgrade\r\nUpgrade: ${protocol}`
    const answers = await askOnOneConnection((server.address() as AddressInfo).port, givenBackAtMost, offer)
    expect(answers.every((answer) => answer.startsWith('HTTP/1.1 204 '))).toBe(true)
    // The first request was not returned by an earlier upgrade.
    expect(new Set(listeners.slice(1)).size).toBe(1)
    expect(listeners).toHaveLength(givenBackAtMost)
    const closing = answers.map((answer) => /^connection: close\r$/im.test(answer))
    expect(closing).toEqual(answers.map((_, index) => index === givenBackAtMost - 1))
    if (socket?.destroyed === false) await once(socket, 'close')
    expect(open.size).toBe(0)
  },
)
