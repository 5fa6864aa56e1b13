/** Attempts to real HTTP servers. */
import { once } from 'node:events'
import { createServer, Server, type RequestListener } from 'node:http'
import { createServer as createTcpServer, type AddressInfo, type Server as TcpServer } from 'node:net'
import { limits } from '@phonerack/shared'
import { afterEach, expect, it } from 'vitest'
import { parseNetwork } from '../../base/config/webhooks.js'
import { createResolve, type Resolve } from './resolve.js'
import { sendAttempt, type Attempt } from './send.js'

const servers: (Server | TcpServer)[] = []
afterEach(() => {
  for (const server of servers.splice(0)) {
    if (server instanceof Server) server.closeAllConnections()
    server.close()
  }
})

async function serve(listener: RequestListener): Promise<number> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  servers.push(server)
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

/** Answers the first bytes of each connection with these bytes, and says no more. */
async function serveBytes(bytes: string, end: 'open' | 'closed' = 'open'): Promise<number> {
  const server = createTcpServer((socket) => {
    socket.on('error', () => undefined)
    socket.once('data', () => (end === 'open' ? socket.write(bytes) : socket.end(bytes)))
  }).listen(0, '127.0.0.1')
  servers.push(server)
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

const loopback = [parseNetwork('127.0.0.0/8')]
const at =
  (address: string): Resolve =>
  () =>
    Promise.resolve([address])
const byName = createResolve()
const resolve: Resolve = (name, signal) => byName(name, signal, 'project')
const send = (url: string, change: Partial<Attempt> = {}) =>
  sendAttempt({
    url,
    headers: { 'content-type': 'application/json' },
    body: '{"a":1}',
    allowed: loopback,
    resolve,
    signal: new AbortController().signal,
    ...change,
  })

it('posts the body and returns the response', async () => {
  const got: string[] = []
  const port = await serve((request, response) => {
    request.on('data', (part: Buffer) => got.push(`${request.method} ${request.url} ${part.toString()}`))
    request.on('end', () => response.writeHead(202).end('thanks'))
  })
  const outcome = await send(`http://127.0.0.1:${port}/hook?a=b`)
  expect(outcome).toMatchObject({ isDelivered: true, status: 202, body: 'thanks', error: null })
  expect(got).toEqual(['POST /hook?a=b {"a":1}'])
  expect((await send(`http://localhost:${port}/`)).isDelivered).toBe(true)
})

it('counts redirects as failures, and does not follow them [41.52]', async () => {
  let followed = 0
  const target = await serve((_request, response) => {
    followed += 1
    response.end()
  })
  const port = await serve((_request, response) =>
    response.writeHead(307, { location: `http://127.0.0.1:${target}/` }).end(),
  )
  expect(await send(`http://127.0.0.1:${port}/`)).toMatchObject({
    isDelivered: false,
    status: 307,
    error: 'redirect',
  })
  expect(followed).toBe(0)
})

it('reports other statuses with their body, of which it reads 16 KB [41.53]', async () => {
  const port = await serve((_request, response) => {
    response.writeHead(500)
    // More than any buffer on the way.
    for (let each = 0; each < 200; each += 1) response.write('\0x'.repeat(50_000))
    response.end()
  })
  const { status, body, error } = await send(`http://127.0.0.1:${port}/`)
  expect([status, error]).toEqual([500, 'status'])
  expect(body).toHaveLength(limits.webhooks.responseBody)
  expect(body).toMatch(/^\uFFFDx/)
})

it('checks the address that a name has at this attempt, in every form [41.47]', async () => {
  let connections = 0
  const port = await serve((_request, response) => {
    connections += 1
    response.end()
  })
  const url = `http://receiver.example:${port}/`
  expect((await send(url, { resolve: at('127.0.0.1') })).isDelivered).toBe(true)
  for (const address of ['127.0.0.1', '::ffff:127.0.0.1', '10.0.0.1', '169.254.169.254', '::1'])
    expect(await send(url, { resolve: at(address), allowed: [] })).toMatchObject({
      isDelivered: false,
      status: null,
      error: 'address_not_allowed',
    })
  const mixed: Resolve = () => Promise.resolve(['1.1.1.1', '127.0.0.1'])
  expect((await send(url, { resolve: mixed, allowed: [] })).error).toBe('address_not_allowed')
  for (const literal of ['127.0.0.1', '0x7f.1', '[::ffff:127.0.0.1]', '[::1]', 'localhost'])
    expect((await send(`http://${literal}:${port}/`, { allowed: [] })).error).toBe('address_not_allowed')
  expect(connections).toBe(1)
})

it('says why no response came', async () => {
  const closed = await serve(() => undefined)
  const [server] = servers.splice(0)
  server?.close()
  expect((await send(`http://127.0.0.1:${closed}/`)).error).toBe('connection_refused')
  expect((await send(`https://127.0.0.1:${await serve((_, response) => response.end())}/`)).error).toBe(
    'tls_failed',
  )
  const nobody: Resolve = () => Promise.reject(Object.assign(new Error('no'), { code: 'ENOTFOUND' }))
  expect((await send('http://nobody.example/', { resolve: nobody })).error).toBe('name_not_resolved')
  const port = await serve((request) => request.socket.destroy())
  expect((await send(`http://127.0.0.1:${port}/`)).error).toBe('connection_failed')
})

it('gives up a receiver that does not answer, and takes the status of one that does not end its body', async () => {
  const silent = await serve(() => undefined)
  expect((await send(`http://127.0.0.1:${silent}/`, { withinMs: 300 })).error).toBe('timeout')
  const never: Resolve = () => new Promise(() => undefined)
  expect((await send('http://slow.example/', { resolve: never, withinMs: 300 })).error).toBe('timeout')
  const endless = await serve((_request, response) => response.writeHead(200).write('a'))
  expect(await send(`http://127.0.0.1:${endless}/`, { withinMs: 300 })).toMatchObject({
    isDelivered: true,
    status: 200,
    body: 'a',
  })
})

it('ends with any bytes that the receiver answers', async () => {
  const upgrade = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'
  expect(await send(`http://127.0.0.1:${await serveBytes(upgrade)}/`)).toMatchObject({
    isDelivered: false,
    status: 101,
    body: '',
    error: 'status',
  })
  const continues = await serveBytes('HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\n\r\n')
  expect((await send(`http://127.0.0.1:${continues}/`, { withinMs: 300 })).error).toBe('timeout')
  for (const bytes of ['', 'HTTP/1.1 2', 'SSH-2.0-OpenSSH_9.2\r\n', '\0\0\0'])
    for (const end of ['open', 'closed'] as const) {
      const { isDelivered, error } = await send(`http://127.0.0.1:${await serveBytes(bytes, end)}/`, {
        withinMs: 300,
      })
      expect([isDelivered, error]).toEqual([false, expect.stringMatching(/^(timeout|connection_failed)$/)])
    }
  const broken = await serveBytes('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nab', 'closed')
  expect(await send(`http://127.0.0.1:${broken}/`)).toMatchObject({ isDelivered: true, body: 'ab' })
})

it('ends without an outcome when the process stops', async () => {
  const stopping = new AbortController()
  const port = await serve(() => stopping.abort(new Error('stopping')))
  await expect(send(`http://127.0.0.1:${port}/`, { signal: stopping.signal })).rejects.toThrow('stopping')
})
