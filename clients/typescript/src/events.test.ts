/** The stream of events over a real HTTP server that breaks it. The real service is in `e2e/src/breakable/events.long.test.ts`. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { ApiError, AuthenticationError, ConnectionError, Phonerack, type PhonerackError } from './index.js'

let server: Server
let asked: IncomingMessage[]
/** One answer for each connection; further connections get the last answer. */
let answers: ((response: ServerResponse) => void)[]
let client: Phonerack

beforeEach(async () => {
  asked = []
  server = createServer((request, response) => {
    asked.push(request)
    const answer = answers.length > 1 ? answers.shift() : answers[0]
    answer?.(response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  client = new Phonerack({ apiKey: 'prk_test', baseUrl: `http://127.0.0.1:${port}` })
})
afterEach(() => {
  server.closeAllConnections()
  server.close()
})

const event = (id: string) => ({
  id,
  object: 'event',
  type: 'phone.ready',
  created_at: '2026-01-01T00:00:00.000Z',
  phone_id: 'ph_aaaaaaaaaaaa',
  data: {},
})
const frame = (id: string): string => `id: ${id}\nevent: phone.ready\ndata: ${JSON.stringify(event(id))}\n\n`
const stream =
  (text: string, end: (response: ServerResponse) => void = () => undefined) =>
  (response: ServerResponse) => {
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' })
    response.write(text, () => end(response))
  }
const refusal = (status: number, code: string, type: string) => (response: ServerResponse) => {
  response
    .writeHead(status, { 'content-type': 'application/json' })
    .end(JSON.stringify({ error: { type, code, message: 'No.', retryable: false, next: null, details: {} } }))
}

/** The first event, after which the loop is left. */
async function first<T>(events: AsyncIterable<T>): Promise<T | undefined> {
  for await (const event of events) return event
  return undefined
}

it('throws for an event that is not a JSON object, and does not connect again', async () => {
  for (const data of ['{"id": "evt_1"', 'null']) {
    answers = [stream(`id: evt_1\ndata: ${data}\n\n`)]
    await expect(first(client.events())).rejects.toMatchObject({
      code: 'unexpected_answer',
      retryable: false,
    })
  }
  expect(asked).toHaveLength(2)
})

it('continues after the last event when the stream ends, breaks or is refused for a while', async () => {
  answers = [
    stream(`retry: 1000\n\nid: start\n\n:\n${frame('evt_1')}`, (response) => response.end()),
    refusal(503, 'service_unavailable', 'api_error'),
    stream(frame('evt_2'), (response) => response.destroy()),
    stream(frame('evt_3')),
  ]
  const ids: string[] = []
  const retries: (PhonerackError | null)[] = []
  const onRetry = (error: PhonerackError | null): void => void retries.push(error)
  for await (const each of client.events({ type: 'phone.ready', phone: 'ph_aaaaaaaaaaaa', onRetry })) {
    if (each.object === 'event') ids.push(each.id)
    if (ids.length === 3) break
  }
  expect(ids).toEqual(['evt_1', 'evt_2', 'evt_3'])
  expect(asked.map(({ headers }) => headers['last-event-id'])).toEqual([undefined, 'evt_1', 'evt_1', 'evt_2'])
  expect(retries.map((error) => error?.code ?? null)).toEqual([
    ...[null, 'service_unavailable', 'connection_failed'],
  ])
  expect(asked[0]?.url).toBe('/v1/events?type=phone.ready&phone=ph_aaaaaaaaaaaa')
  expect(asked[0]?.headers).toMatchObject({ accept: 'text/event-stream', authorization: 'Bearer prk_test' })
})

it('continues from the position of a stream without events, and from an event of an earlier run', async () => {
  answers = [stream('id: start\n\n', (response) => response.end()), stream(frame('evt_1'))]
  await first(client.events())
  expect(asked.map(({ headers }) => headers['last-event-id'])).toEqual([undefined, 'start'])
  await first(client.events({ lastEventId: 'evt_0' }))
  expect(asked.at(-1)?.headers['last-event-id']).toBe('evt_0')
})

it('reports a gap', async () => {
  const gap = { object: 'gap', type: 'gap', last_event_id: 'evt_0' }
  answers = [stream(`event: gap\ndata: ${JSON.stringify(gap)}\n\n`)]
  for await (const each of client.events({ lastEventId: 'evt_0' })) {
    expect(each).toEqual(gap)
    break
  }
})

it('closes the connection when the loop is left', async () => {
  const closed = new Promise<void>((resolve) => {
    answers = [stream(frame('evt_1'), (response) => void response.once('close', resolve))]
  })
  await first(client.events())
  await closed
})

it('closes the connection after a garbage collection too, when the loop is left and with the signal', async () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  for (const leave of [true, false]) {
    const closed = new Promise<void>((resolve) => {
      answers = [stream(frame('evt_1'), (response) => void response.once('close', resolve))]
    })
    const stop = new AbortController()
    const events = client.events({ signal: stop.signal })
    await events.next()
    const next = leave ? null : events.next().catch((error: unknown) => error)
    for (let each = 0; each < 5; each += 1) {
      collect()
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    if (leave) await events.return()
    else stop.abort(new Error('enough'))
    await closed
    expect(await next).toEqual(leave ? null : new Error('enough'))
  }
})

it('ends with the refusal of the API, and with the signal', async () => {
  answers = [refusal(401, 'key_revoked', 'authentication_error')]
  await expect(client.events().next()).rejects.toBeInstanceOf(AuthenticationError)
  expect(asked).toHaveLength(1)
  answers = [stream('id: start\n\n')]
  const stop = new AbortController()
  const next = client.events({ signal: stop.signal }).next()
  setTimeout(() => stop.abort(new Error('enough')), 200)
  await expect(next).rejects.toThrow('enough')
})

it('refuses an ID that no event has, without a request', async () => {
  answers = [stream(frame('evt_1'))]
  for (const lastEventId of ['evt_…', 'evt_\n'])
    await expect(first(client.events({ lastEventId }))).rejects.toThrow(TypeError)
  expect(asked).toHaveLength(0)
})

it('throws the error of a first connection that cannot be made', async () => {
  const { port } = server.address() as AddressInfo
  const options = { apiKey: 'prk_test', maxRetries: 1 }
  const retries: (PhonerackError | null)[] = []
  const onRetry = (error: PhonerackError | null): void => void retries.push(error)
  // No port of this server speaks TLS, and port 1 is closed.
  for (const baseUrl of [`https://127.0.0.1:${port}`, 'http://127.0.0.1:1'])
    await expect(first(new Phonerack({ ...options, baseUrl }).events({ onRetry }))).rejects.toBeInstanceOf(
      ConnectionError,
    )
  expect(retries.map((error) => error?.code)).toEqual(['connection_failed', 'connection_failed'])
  answers = [refusal(503, 'service_unavailable', 'api_error')]
  const own = new Phonerack({ ...options, baseUrl: `http://127.0.0.1:${port}` })
  await expect(first(own.events())).rejects.toMatchObject({ status: 503 })
  expect(asked).toHaveLength(2)
})

it('throws for an answer that is not a stream of events', async () => {
  answers = [(response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>Welcome</p>')]
  const error: unknown = await first(client.events()).catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(ApiError)
  expect(error).toMatchObject({ code: 'unexpected_answer', status: 200 })
  expect(asked).toHaveLength(1)
})

it('connects less and less often to a service that ends every stream without an event', async () => {
  answers = [stream('id: start\n\n', (response) => response.end())]
  const stop = new AbortController()
  const next = client.events({ signal: stop.signal }).next()
  setTimeout(() => stop.abort(new Error('enough')), 4000)
  await expect(next).rejects.toThrow('enough')
  // The pauses are at least 0.25, 0.5, 1 and 2 s; without growing, at most 0.5 s.
  expect(asked.length).toBeLessThanOrEqual(5)
})

it('lists past events over pages, newest first', async () => {
  const pages = [
    { data: [event('evt_3'), event('evt_2')], next_cursor: 'more' },
    { data: [event('evt_1')], next_cursor: null },
  ]
  answers = pages.map((page) => (response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(page))
  })
  const past = await client.pastEvents({ type: 'phone.ready', phone: 'ph_aaaaaaaaaaaa' }).toArray()
  expect(past.map(({ id }) => id)).toEqual(['evt_3', 'evt_2', 'evt_1'])
  const path = '/v1/events?type=phone.ready&phone=ph_aaaaaaaaaaaa'
  expect(asked.map(({ url }) => url)).toEqual([path, `${path}&cursor=more`])
  expect(asked[0]?.headers.accept).not.toContain('event-stream')
})
