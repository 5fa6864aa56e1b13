/** The transport against a real HTTP server: repeats and errors. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { ConnectionError, ConflictError, PhonerackError, RateLimitError } from './errors.js'
import { Phonerack } from './phonerack.js'
import { createTransport, signalOf } from './transport.js'

let server: Server
let answers: ((request: IncomingMessage, response: ServerResponse) => void)[]
let seen: { method: string; url: string; key: string; idempotencyKey: string }[]
let waits: number[]

beforeEach(async () => {
  ;[answers, seen, waits] = [[], [], []]
  server = createServer((request, response) => {
    const { method = '', url = '', headers } = request
    seen.push({
      method,
      url,
      key: headers.authorization ?? '',
      idempotencyKey: String(headers['idempotency-key'] ?? ''),
    })
    request.resume()
    const answer = answers.shift()
    if (answer) answer(request, response)
    else json(200, { id: 'ph_aaaaaaaaaaaa', status: 'ready' })(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
})
afterEach(() => void server.close())

const json =
  (status: number, body: object, headers: Record<string, string> = {}) =>
  (_request: IncomingMessage, response: ServerResponse): void => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(JSON.stringify(body))
  }
const refusal = (status: number, code: string, fields: object = {}, headers: Record<string, string> = {}) =>
  json(
    status,
    {
      error: {
        type: 'conflict_error',
        code,
        message: `It is ${code}.`,
        retryable: false,
        next: null,
        details: {},
        request_id: 'req_aaaaaaaaaaaa',
        ...fields,
      },
    },
    headers,
  )
/** The connection breaks after the request has arrived. */
const cut = (request: IncomingMessage): void => void request.socket.destroy()

const baseUrl = (): URL => new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)

/** Sends over a transport whose pauses take no time. */
function send(
  method: string,
  headers: Record<string, string> = {},
  options: { signal?: AbortSignal; timeout?: number } = {},
) {
  const transport = createTransport({
    apiKey: 'prk_test',
    baseUrl: baseUrl(),
    maxRetries: 3,
    fetch,
    random: () => 0,
    sleep: (ms) => {
      waits.push(ms)
      return Promise.resolve()
    },
  })
  const signal = signalOf(options, 20_000)
  return transport.send(new Request(new URL('/v1/phones', baseUrl()), { method, headers, signal }))
}
const failure = async (sent: Promise<unknown>): Promise<PhonerackError> => {
  try {
    await sent
  } catch (error) {
    if (error instanceof PhonerackError) return error
    throw error
  }
  throw new Error('it did not fail')
}

it('repeats a read after broken connections and temporary errors, with growing pauses and the key each time', async () => {
  answers = [
    cut,
    refusal(503, 'service_unavailable', { retryable: true }, { 'retry-after': '2' }),
    refusal(500, 'internal_error', { retryable: true }),
  ]
  expect((await send('GET')).status).toBe(200)
  expect(seen.map(({ key }) => key)).toEqual(Array.from({ length: 4 }, () => 'Bearer prk_test'))
  expect(waits).toEqual([250, 2000, 1000])
})

it('repeats a create with the same idempotency key', async () => {
  answers = [cut, cut]
  expect((await send('POST', { 'idempotency-key': 'one' })).status).toBe(200)
  expect(seen.map(({ idempotencyKey }) => idempotencyKey)).toEqual(['one', 'one', 'one'])
})

it('sends an action once when its outcome is unknown', async () => {
  for (const answer of [cut, refusal(502, 'action_outcome_unknown'), refusal(504, 'provider_timeout')]) {
    seen = []
    answers = [answer]
    const error = await failure(send('POST'))
    expect(seen).toHaveLength(1)
    if (error instanceof ConnectionError) expect(error.isOutcomeUnknown).toBe(true)
    else expect(error.retryable).toBe(false)
  }
})

it('names the idempotency key of a create that may have been carried out, even when a later attempt is refused', async () => {
  const create = { 'idempotency-key': 'key-1' }
  const named = { isOutcomeUnknown: true, retryable: false, details: { idempotency_key: 'key-1' } }
  answers = [cut, cut, cut, cut]
  const error = await failure(send('POST', create))
  expect(error).toMatchObject({ code: 'connection_failed', ...named })
  expect(error.next).toContain('key-1')
  answers = [() => undefined]
  expect(await failure(send('POST', create, { timeout: 100 }))).toMatchObject({ code: 'timeout', ...named })
  answers = Array.from({ length: 4 }, () => refusal(503, 'service_unavailable', { retryable: true }))
  expect((await failure(send('POST', create))).details).toEqual({ idempotency_key: 'key-1' })
  seen = []
  answers = [
    (request) => {
      cut(request)
      server.close()
    },
  ]
  const refused = await failure(send('POST', create))
  expect(refused).toMatchObject(named)
  expect(refused.message).toContain('ECONNREFUSED')
  expect(seen).toHaveLength(1)
})

it.each([403, 429])(
  'calls the outcome of a create unknown when a proxy answers a repeat with %i',
  async (status) => {
    const page =
      (code: number) =>
      (_request: IncomingMessage, response: ServerResponse): void =>
        void response.writeHead(code).end('<h1>Denied</h1>')
    for (const first of [cut, page(502), refusal(500, 'internal_error', { retryable: true })]) {
      answers = [first, page(status), page(status), page(status)]
      const error = await failure(send('POST', { 'idempotency-key': 'key-1' }))
      expect(error).toMatchObject({
        code: 'unexpected_answer',
        status,
        isOutcomeUnknown: true,
        retryable: false,
        details: { idempotency_key: 'key-1' },
      })
      expect(error.next).toContain('use the idempotency key key-1')
      expect(error.toJSON().message).toBe(
        `The server answered with status ${status} and without an error of Phonerack.`,
      )
    }
    answers = Array.from({ length: 4 }, () => page(status))
    expect(await failure(send('POST', { 'idempotency-key': 'key-1' }))).toMatchObject({
      code: 'unexpected_answer',
      isOutcomeUnknown: false,
      details: {},
    })
  },
)

it('leaves the idempotency key out of the error when the API refuses the create', async () => {
  answers = [refusal(402, 'insufficient_credit')]
  expect((await failure(send('POST', { 'idempotency-key': 'key-1' }))).details).toEqual({})
})

it('knows that nothing was sent when the connection is refused or the name is unknown', async () => {
  const base = baseUrl()
  server.close()
  const cause = Object.assign(new Error('getaddrinfo ENOTFOUND'), {
    code: 'ENOTFOUND',
    syscall: 'getaddrinfo',
  })
  const unknownName = () => Promise.reject(new TypeError('fetch failed', { cause }))
  const cases: [URL, typeof fetch][] = [
    [base, fetch],
    [new URL('http://phonerack.invalid'), unknownName],
  ]
  for (const [origin, by] of cases)
    for (const headers of [new Headers(), new Headers({ 'idempotency-key': 'key-1' })]) {
      const transport = createTransport({ apiKey: 'prk_test', baseUrl: origin, maxRetries: 0, fetch: by })
      const error = await failure(
        transport.send(new Request(new URL('/v1/phones', origin), { method: 'POST', headers })),
      )
      expect(error).toMatchObject({
        code: 'connection_failed',
        isOutcomeUnknown: false,
        retryable: true,
        next: null,
        details: {},
      })
    }
})

it('calls the outcome of a write unknown when a proxy answers 5xx', async () => {
  const proxy =
    (status: number) =>
    (_request: IncomingMessage, response: ServerResponse): void =>
      void response.writeHead(status).end('<h1>Bad gateway</h1>')
  for (const status of [500, 502, 503, 504]) {
    seen = []
    answers = [proxy(status)]
    const error = await failure(send('POST'))
    expect(error).toMatchObject({
      code: 'unexpected_answer',
      status,
      retryable: false,
      isOutcomeUnknown: true,
    })
    expect(error.next).toContain('may have been carried out')
    expect(seen).toHaveLength(1)
  }
  answers = Array.from({ length: 4 }, () => proxy(502))
  expect(await failure(send('POST', { 'idempotency-key': 'key-1' }))).toMatchObject({
    retryable: false,
    details: { idempotency_key: 'key-1' },
  })
  answers = Array.from({ length: 4 }, () => proxy(502))
  const read = await failure(send('GET'))
  expect(read.retryable).toBe(true)
  expect(read.next).not.toContain('may have been carried out')
})

it('repeats an action that was refused before it was sent', async () => {
  answers = [
    refusal(429, 'rate_limited', { type: 'rate_limit_error', retryable: true }, { 'retry-after': '1' }),
  ]
  expect((await send('POST')).status).toBe(200)
  answers = Array.from({ length: 4 }, () =>
    refusal(429, 'rate_limited', { type: 'rate_limit_error' }, { 'retry-after': '1' }),
  )
  expect(await failure(send('POST'))).toBeInstanceOf(RateLimitError)
  answers = [refusal(429, 'rate_limited', {}, { 'retry-after': '3600' })]
  expect((await failure(send('GET'))).code).toBe('rate_limited')
})

it('throws a refusal with all its fields, once', async () => {
  answers = [refusal(409, 'phone_not_running', { next: 'Start the phone.', details: { status: 'parked' } })]
  const error = await failure(send('GET'))
  expect(error).toBeInstanceOf(ConflictError)
  expect(error).toMatchObject({
    code: 'phone_not_running',
    status: 409,
    next: 'Start the phone.',
    requestId: 'req_aaaaaaaaaaaa',

    retryable: false,
    details: { status: 'parked' },
    message: 'It is phone_not_running. Start the phone.',
  })
  expect(seen).toHaveLength(1)
})

it('returns an answer without a body', async () => {
  for (const status of [204, 205]) {
    answers = [(_request, response) => response.writeHead(status).end()]
    expect((await send('POST')).status).toBe(status)
  }
})

it('throws an error of the SDK for a family that it does not know', async () => {
  for (const type of ['new_error', 'constructor', '__proto__', 'toString']) {
    answers = [refusal(400, 'new_code', { type })]
    expect(await failure(send('GET'))).toMatchObject({ code: 'new_code', type, status: 400 })
  }
})

it('names an answer that is not from the API, and follows no redirect', async () => {
  answers = [(_request, response) => response.writeHead(403).end('<h1>Proxy</h1>')]
  expect(await failure(send('GET'))).toMatchObject({
    code: 'unexpected_answer',
    status: 403,
    isOutcomeUnknown: false,
  })
  answers = [(_request, response) => response.writeHead(302, { location: 'http://127.0.0.1:9/' }).end()]
  expect(await failure(send('POST'))).toMatchObject({
    code: 'unexpected_answer',
    status: 302,
    isOutcomeUnknown: false,
  })
})

it('ends at its time, and with the reason of its signal', async () => {
  answers = [() => undefined]
  const late = await failure(send('POST', {}, { timeout: 100 }))
  expect(late).toBeInstanceOf(ConnectionError)
  expect(late).toMatchObject({ code: 'timeout', isOutcomeUnknown: true })
  answers = [() => undefined]
  const aborting = new AbortController()
  const sent = send('GET', {}, { signal: aborting.signal })
  setTimeout(() => aborting.abort(new RangeError('enough')), 50)
  await expect(sent).rejects.toThrow(new RangeError('enough'))
})

it('throws the last refusal when the time ends during a pause', async () => {
  const transport = createTransport({ apiKey: 'prk_test', baseUrl: baseUrl(), maxRetries: 3, fetch })
  const sent = (method: string): Promise<unknown> => {
    const signal = signalOf({ deadline: 300 }, 20_000)
    return transport.send(new Request(new URL('/v1/phones', baseUrl()), { method, signal }))
  }
  const busy = refusal(429, 'rate_limited', { retryable: true }, { 'retry-after': '30' })
  for (const method of ['GET', 'POST']) {
    answers = [busy]
    expect(await failure(sent(method))).toMatchObject({ code: 'rate_limited', isOutcomeUnknown: false })
  }
  expect(seen).toHaveLength(2)
})

it('never sends the key to another server, and unencrypted only to this machine', async () => {
  const transport = createTransport({ apiKey: 'prk_test', baseUrl: baseUrl(), maxRetries: 0, fetch })
  await expect(transport.send(new Request('http://127.0.0.1:9/v1/phones'))).rejects.toThrow(TypeError)
  expect(() => new Phonerack({ apiKey: 'prk_test', baseUrl: 'http://phones.example' })).toThrow(
    /not encrypted/,
  )
  expect(() => new Phonerack({ apiKey: '', baseUrl: 'https://phones.example' })).toThrow(/API key is missing/)
})

/** Collects everything that only weak references reach; these hold until the current task is over. */
async function collectGarbage(): Promise<void> {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  for (let round = 0; round < 3; round += 1) {
    await pause(10)
    collect()
  }
}

it.each(['abort', 'timeout'])('ends a call by its %s after a garbage collection', async (how) => {
  const held = createServer(() => undefined).listen(0, '127.0.0.1')
  await once(held, 'listening')
  const origin = `http://127.0.0.1:${(held.address() as AddressInfo).port}`
  const transport = createTransport({ apiKey: 'prk_test', baseUrl: new URL(origin), maxRetries: 0, fetch })
  const stop = new AbortController()
  const call = (): Promise<unknown> => {
    const options = { signal: stop.signal, ...(how === 'timeout' ? { timeout: 2000 } : {}) }
    const signal = signalOf(options, 600_000)
    return transport.send(new Request(`${origin}/v1/phones`, { method: 'POST', body: '{}', signal }))
  }
  const arrived = once(held, 'request')
  const ended = call().catch((error: unknown) => error)
  await arrived
  await collectGarbage()
  if (how === 'abort') stop.abort(new Error('enough'))
  expect(await ended).toMatchObject(how === 'abort' ? { message: 'enough' } : { code: 'timeout' })
  held.closeAllConnections()
  await new Promise((resolve) => held.close(resolve))
})

it('takes the error of a proxy, which has only a code, for an unexpected answer', async () => {
  answers = [
    (_request, response) => response.writeHead(502).end(JSON.stringify({ error: { code: 'bad_gateway' } })),
  ]
  const error = await failure(send('POST'))
  expect(error).toMatchObject({ code: 'unexpected_answer', status: 502, retryable: false })
  expect(error.next).toContain('may have been carried out')
})

it('knows that nothing was sent when the port does not speak TLS', async () => {
  const origin = new URL(baseUrl().href.replace('http:', 'https:'))
  const transport = createTransport({ apiKey: 'prk_test', baseUrl: origin, maxRetries: 0, fetch })
  const error = await failure(transport.send(new Request(new URL('/v1/phones', origin), { method: 'POST' })))
  expect(error).toMatchObject({ code: 'connection_failed', isOutcomeUnknown: false, next: null })
  expect(seen).toEqual([])
})
