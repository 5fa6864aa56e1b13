/**
 * Many concurrent views, slow views, views whose page disappeared, and a server that stops. Runs with real
 * WebSockets, Postgres, broker and gRPC; the agent is a double.
 */
import { type ServerDuplexStream } from '@grpc/grpc-js'
import { type WatchRequest, type WatchResponse } from '@phonerack/proto'
import { limits } from '@phonerack/shared'
import { once } from 'node:events'
import { type AddressInfo } from 'node:net'
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { type AgentDouble } from '../../testing/agent-double.js'
import { consoleUser, type ConsoleClient } from '../../testing/console-client.js'
import { openLive, type LiveClient } from '../../testing/live-client.js'
import { createKey } from '../../testing/operator.js'
import { readyPhone } from '../../testing/ready-phone.js'
import { eventually, useWorld, type Plane, type Tenant } from '../../testing/world.js'
import { closings, isWorthRetrying } from './page/wire.js'
import { keepPulse } from './pulse.js'

type Watch = ServerDuplexStream<WatchRequest, WatchResponse>

const world = useWorld()
let plane: Plane
let agent: AgentDouble
let tenant: Tenant
let origin: string
let phoneIds: string[]
/** Views at the agent, oldest first. */
let watches: Watch[]

beforeAll(async () => {
  plane = await world.start()
  await plane.server.listen({ host: '127.0.0.1', port: 0 })
  origin = new URL(plane.config.http.baseUrl).origin
  agent = await plane.rack(2, { beatMs: 200 })
  tenant = await plane.tenant({ credit: '1000' })
  phoneIds = [await readyPhone(plane, tenant), await readyPhone(plane, tenant)]
})
afterEach(() => {
  vi.unstubAllGlobals()
})
beforeEach(() => {
  watches = []
  agent.onWatch = (call) => {
    watches.push(call)
    call.resume()
    call.on('error', () => undefined)
  }
})

async function newToken(at = 0, key = tenant.key): Promise<string> {
  const answer = await plane.server.inject({
    method: 'POST',
    url: `/v1/phones/${phoneIds[at]}/live`,
    headers: { authorization: `Bearer ${key}` },
  })
  if (answer.statusCode !== 201) throw new Error(answer.body)
  return new URL(answer.json<{ url: string }>().url).hash.slice(1)
}

/** Creates a link of a user of the console. */
async function tokenOf(client: ConsoleClient): Promise<string> {
  const { status, body } = await client.ask(
    'POST',
    `/projects/${tenant.projectId}/phones/${phoneIds[0]}/live`,
    { body: {} },
  )
  if (status !== 201) throw new Error(JSON.stringify(body))
  return new URL(String(body['url'])).hash.slice(1)
}

const open = (token: string, at = plane): LiveClient => openLive(at.server, origin, token)

/** A page's view, with the agent's side of the view. */
async function view(token: string): Promise<{ client: LiveClient; watch: Watch }> {
  const before = watches.length
  const client = open(token)
  await client.opened()
  await eventually(() => watches.length > before)
  const watch = watches.at(-1)
  if (!watch) throw new Error('no view')
  return { client, watch }
}

describe('many views', () => {
  it('are limited to 50 per phone, and another view can open when a view closes', async () => {
    const token = await newToken()
    const { key } = await createKey(plane.app.core, {
      project: tenant.projectId,
      preset: 'admin',
      expires: 'never',
    })
    const second = await newToken(0, key)
    const { watchers, watchersPerKey } = limits.live
    const clients = Array.from({ length: watchers }, (_, at) => open(at < watchersPerKey ? token : second))
    await Promise.all(clients.map((client) => client.opened()))
    const { code, reason } = await open(second).closed()
    expect([code, reason]).toEqual([closings.tooMany.code, closings.tooMany.reason])
    expect(isWorthRetrying(code)).toBe(false)
    // Another phone has its own limit.
    const other = open(await newToken(1))
    await other.opened()

    clients[0]?.close()
    await clients[0]?.closed()
    const next = open(token)
    await next.opened()
    await eventually(() => watches.length === limits.live.watchers + 2)
    for (const client of [...clients, other, next]) client.close()
    await eventually(() => watches.every(({ cancelled }) => cancelled))
  })

  it('leave room for other views when one key created their links', async () => {
    const token = await newToken()
    const clients = Array.from({ length: limits.live.watchersPerKey }, () => open(token))
    await Promise.all(clients.map((client) => client.opened()))
    const { code } = await open(await newToken()).closed()
    expect(code).toBe(closings.tooMany.code)
    const user = await consoleUser(plane, { role: 'viewer', projectId: tenant.projectId })
    const own = open(await tokenOf(user.client))
    await own.opened()
    for (const client of [...clients, own]) client.close()
  })

  it('are limited to 10 per user, in all their links', async () => {
    const { client: ann } = await consoleUser(plane, { role: 'viewer', projectId: tenant.projectId })
    const tokens = [await tokenOf(ann), await tokenOf(ann)]
    const clients = Array.from({ length: limits.live.watchersPerUser }, (_, at) => open(tokens[at % 2] ?? ''))
    await Promise.all(clients.map((client) => client.opened()))
    const { code, reason } = await open(tokens[0] ?? '').closed()
    expect([code, reason]).toEqual([closings.tooManyOfUser.code, closings.tooManyOfUser.reason])
    expect(isWorthRetrying(code)).toBe(false)
    const { client: ben } = await consoleUser(plane, { role: 'viewer', projectId: tenant.projectId })
    const other = open(await tokenOf(ben))
    await other.opened()
    for (const client of [...clients, other]) client.close()
  })

  it('do not wait for a slow view', async () => {
    const token = await newToken()
    const [quick, slow] = [await view(token), await view(token)]
    const data = Buffer.alloc(65_536)
    const chunk = {
      event: { $case: 'frame' as const, value: { data, ptsUs: 1n, keyFrame: false, last: true } },
    }
    const frames = 150
    const isFull = new Set<Watch>()
    // The double drops a frame that a stream does not accept, as the host agent does.
    const send = (watch: Watch): boolean => {
      if (isFull.has(watch)) return false
      if (!watch.write(chunk)) {
        isFull.add(watch)
        watch.once('drain', () => isFull.delete(watch))
      }
      return true
    }
    // The fast page acknowledges what it receives; the slow one does not.
    const quickTakes = (condition: () => boolean) =>
      eventually(() => {
        quick.client.send({ type: 'ack', bytes: quick.client.bytes() })
        return condition()
      })
    let dropped = 0
    for (let sent = 0; sent < frames; sent++) {
      await quickTakes(() => !isFull.has(quick.watch))
      send(quick.watch)
      if (!send(slow.watch)) dropped += 1
    }
    await quickTakes(() => quick.client.video.length === frames)
    expect(dropped).toBeGreaterThan(frames / 2)
    expect(slow.client.video.length).toBeLessThan(40)
    expect(slow.watch.cancelled).toBe(false)

    // The slow page continues when it can, and its input arrives in the meantime.
    const held = slow.client.video.length
    slow.client.send({ type: 'ping', id: 1 })
    slow.client.send({ type: 'ack', bytes: slow.client.bytes() })
    await eventually(() => slow.client.video.length > held)
    expect(slow.client.messages).toContainEqual({ type: 'pong', id: 1 })
    for (const { client } of [quick, slow]) client.close()
  })
})

describe('a pulse', () => {
  it('closes the socket of a page that disappeared, and no other socket', async () => {
    const server = new WebSocketServer({ host: '127.0.0.1', port: 0 })
    await once(server, 'listening')
    server.on('connection', (socket) => keepPulse(socket, 1000))
    const { port } = server.address() as AddressInfo
    const alive = new WebSocket(`ws://127.0.0.1:${port}`)
    let pings = 0
    alive.on('ping', () => (pings += 1))
    const gone = new WebSocket(`ws://127.0.0.1:${port}`, { autoPong: false })
    const [code] = (await once(gone, 'close')) as [number]
    // The page disappears without a close frame.
    expect(code).toBe(1006)
    const before = pings
    await eventually(() => pings > before)
    expect(alive.readyState).toBe(WebSocket.OPEN)
    alive.close()
    await once(alive, 'close')
    server.close()
  })
})

/**
 * The page's own connection, with stubs of the browser's API. Returns the reasons that the page shows, in
 * order.
 */
interface PageConnection {
  connect(): void
  send(message: object): void
}

async function openPage(
  url: string,
  token: string,
  onOpen: (send: (message: object) => void) => void = () => undefined,
): Promise<string[]> {
  class BrowserSocket extends WebSocket {
    constructor(at: string, offered: string) {
      super(at, offered, { origin })
      // A browser reports the refused connection by the close event.
      this.on('error', () => undefined)
    }
  }
  vi.stubGlobal('WebSocket', BrowserSocket)
  vi.stubGlobal('document', Object.assign(new EventTarget(), { hidden: false }))
  vi.stubGlobal('addEventListener', () => undefined)
  const told: string[] = []
  const listener = {
    onOpen: () => {
      told.push('open')
      onOpen((message) => connection.send(message))
    },
    onVideo: () => undefined,
    onMessage: () => undefined,
    onRetry: (reason: string) => told.push(`again: ${reason}`),
    onOver: (reason: string) => told.push(`over: ${reason}`),
  }
  const built = new URL('../../../dist/phone-io/live/page/connection.js', import.meta.url).href
  const { Connection } = (await import(built)) as {
    Connection: new (url: string, token: string, told: typeof listener) => PageConnection
  }
  const connection = new Connection(url, token, listener)
  connection.connect()
  return told
}

it('the page sends nothing over a socket that has closed before the page took it over', async () => {
  const sent: string[] = []
  vi.stubGlobal('earlySocket', {
    socket: { readyState: WebSocket.CLOSED, send: (text: string) => sent.push(text), close: () => undefined },
    messages: [{ data: JSON.stringify({ type: 'open' }) }],
    closed: { code: closings.deleted.code, reason: closings.deleted.reason },
  })
  const told = await openPage('ws://127.0.0.1:9/live/socket', 'prl_x', (send) => send({ type: 'key_frame' }))
  expect(told).toEqual(['open', `over: ${closings.deleted.reason}`])
  expect(sent).toEqual([])
})

it('a server that stops tells its pages and waits for none, and the pages reconnect', async () => {
  const token = await newToken(1)
  const { port } = plane.server.server.address() as AddressInfo
  const { client, watch } = await view(token)
  // The page reads nothing, including the close frame.
  const deaf = new WebSocket(`ws://127.0.0.1:${port}/live/socket`, 'phonerack.live.1', { origin })
  await once(deaf, 'open')
  deaf.send(JSON.stringify({ type: 'open', token }))
  await eventually(() => watches.length === 2)
  deaf.pause()
  const told = await openPage(`ws://127.0.0.1:${port}/live/socket`, token)
  await eventually(() => told.includes('open'))

  const next = await world.start({ beside: plane })
  const from = performance.now()
  await plane.server.close()
  expect(performance.now() - from).toBeLessThan(60_000)
  const { code, reason } = await client.closed()
  expect([code, reason]).toEqual([closings.stopping.code, closings.stopping.reason])
  expect(isWorthRetrying(code)).toBe(true)
  await eventually(() => watch.cancelled && watches.every(({ cancelled }) => cancelled))
  deaf.terminate()

  // The page retries until a server runs again.
  await eventually(() => told.length > 2)
  expect(told.slice(0, 3)).toEqual(['open', `again: ${closings.stopping.reason}`, 'again: '])
  await next.server.listen({ host: '127.0.0.1', port })
  await eventually(() => told.at(-1) === 'open')
  const answer = await next.server.inject({
    method: 'DELETE',
    url: `/v1/phones/${phoneIds[1]}`,
    headers: { authorization: `Bearer ${tenant.key}` },
  })
  expect(answer.statusCode).toBe(200)
  await eventually(() => told.at(-1) === `over: ${closings.deleted.reason}`)
  expect(told.filter((each) => each === 'open')).toHaveLength(2)
})
