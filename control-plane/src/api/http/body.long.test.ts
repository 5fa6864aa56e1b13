import { type ApiError, limits } from '@phonerack/shared'
import { execFile } from 'node:child_process'
import { connect, type AddressInfo } from 'node:net'
import { PassThrough } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { errorOf, startApi, type TestApi } from '../../testing/api.js'
import { collectBody } from './body.js'

let api: TestApi
let port: number
beforeAll(async () => {
  api = await startApi({ devices: 6 })
  await api.app.listen({ host: '127.0.0.1', port: 0 })
  port = (api.app.server.address() as AddressInfo).port
})
afterAll(() => api.close())

const json = { 'content-type': 'application/json' }
/** A valid create body of exactly this many bytes. */
const padded = (bytes: number): string => '{}'.padEnd(bytes, ' ')

interface RawAnswer {
  status: number
  code?: string
  requestId?: string
  continued: boolean
  error?: string
}

async function rawClient(options: {
  bytes: number
  mode: 'length' | 'chunked' | 'expect'
  tries: number
  key?: string
  path?: string
}): Promise<RawAnswer[]> {
  const client = new URL('../../testing/raw-client.mjs', import.meta.url).pathname
  const { stdout } = await promisify(execFile)(process.execPath, [
    client,
    JSON.stringify({ port, key: api.key, path: '/v1/phones', ...options }),
  ])
  return JSON.parse(stdout) as RawAnswer[]
}

describe('a body over the limit, from another process that sends all before it reads', () => {
  it.each([
    ['length', limits.jsonBody + 1],
    ['length', 3 * limits.jsonBody],
    ['length', 5_000_000],
    ['chunked', limits.jsonBody + 1],
    ['chunked', 3 * limits.jsonBody],
    ['chunked', 5_000_000],
  ] as const)('gets its 413 in 50 of 50 tries (%s, %i bytes) [20.2]', async (mode, bytes) => {
    const before = api.called('phones.create').length
    const answers = await rawClient({ mode, bytes, tries: 50 })
    expect(answers).toHaveLength(50)
    for (const answer of answers)
      expect(answer).toMatchObject({
        status: 413,
        code: 'payload_too_large',
        requestId: expect.stringMatching(/^req_/) as string,
      })
    expect(answers.filter(({ error }) => error !== undefined)).toEqual([])
    expect(api.called('phones.create')).toHaveLength(before)
  })

  it('gets its 413 before it sends anything when it uses Expect: 100-continue', async () => {
    const answers = await rawClient({ mode: 'expect', bytes: limits.jsonBody + 1, tries: 20 })
    for (const answer of answers) expect(answer).toMatchObject({ status: 413, continued: false })
  })
})

describe('a refusal before the body is read, from another process', () => {
  it.each([
    ['a bad key', { key: 'prk_bad' }, 401],
    ['no endpoint', { path: '/v1/nothing' }, 404],
    ['another method', { path: '/v1/account' }, 405],
  ])('reaches a client that writes 5 MB first: %s', async (_name, options, status) => {
    const answers = await rawClient({ mode: 'length', bytes: 5_000_000, tries: 20, ...options })
    expect(answers.map((answer) => answer.status)).toEqual(Array(20).fill(status))
  })
})

describe('limits, to the byte', () => {
  it.each([
    ['/v1/phones', limits.jsonBody, 201],
    ['/v1/phones', limits.jsonBody + 1, 413],
  ])('POST %s with %i bytes answers %i', async (url, bytes, status) => {
    const response = await api.request('POST', url, { headers: json, payload: padded(bytes) })
    expect(response.statusCode).toBe(status)
    if (status === 413)
      expect(errorOf(response, 413, 'payload_too_large').details).toEqual({ limit_bytes: limits.jsonBody })
  })

  it('accepts 200,000 bytes for an action batch', async () => {
    const url = `/v1/phones/${await api.readyPhone()}/actions`
    const body = JSON.stringify({ actions: [{ type: 'back' }] })
    const send = (bytes: number) =>
      api.request('POST', url, { headers: json, payload: body.padEnd(bytes, ' ') })
    expect((await send(limits.actionsBody)).statusCode).toBe(200)
    errorOf(await send(limits.actionsBody + 1), 413, 'payload_too_large')
  })
})

/**
 * Sends bytes on one connection and collects the response until the connection closes, or `until`
 * matches.
 */
async function exchange(parts: (string | number)[], until: RegExp): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  let text = ''
  socket.on('data', (data) => (text += data.toString()))
  socket.on('error', (error) => (text += `[${error.message}]`))
  for (const part of parts) {
    if (typeof part === 'number') await sleep(part)
    else socket.write(part)
  }
  for (let waited = 0; waited < 5000 && !until.test(text) && !socket.closed; waited += 10) await sleep(10)
  socket.destroy()
  return text
}

const post = (path: string, ...headers: string[]): string =>
  [`POST ${path} HTTP/1.1`, 'Host: a', `Authorization: Bearer ${api.key}`, ...headers, '', ''].join('\r\n')

describe('Expect: 100-continue', () => {
  it('gets a 100 for a body that is needed', async () => {
    const text = await exchange(
      [
        post('/v1/phones', 'Content-Type: application/json', 'Content-Length: 2', 'Expect: 100-continue'),
        100,
        '{}',
      ],
      /"object"/,
    )
    expect(text).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 201 /)
  })

  it('gets its response immediately when the body is not needed', async () => {
    const text = await exchange(
      ['POST /v1/phones HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n'],
      /\}\}$/,
    )
    expect(text).toMatch(/^HTTP\/1\.1 401 /)
    expect(text).toMatch(/connection: close/i)
  })

  it('may have another value, which is ignored', async () => {
    const text = await exchange([`GET / HTTP/1.1\r\nHost: a\r\nExpect: tea\r\n\r\n`], /\}$/)
    expect(text).toMatch(/^HTTP\/1\.1 200 /)
  })
})

describe('an empty chunked body', () => {
  it.each([[[]], [['Content-Type: application/json']], [['Content-Type: nonsense']]])(
    'counts as no body (%j)',
    async (headers) => {
      const text = await exchange(
        [`${post('/v1/phones', 'Transfer-Encoding: chunked', ...headers)}0\r\n\r\n`],
        /"object"/,
      )
      expect(text).toMatch(/^HTTP\/1\.1 201 /)
    },
  )
})

describe('an interrupted request', () => {
  it.each([
    ['a declared body', ['Content-Length: 100', ''], '{"name":"x"'],
    ['a chunked body', ['Transfer-Encoding: chunked', ''], '2\r\n{}\r\n'],
  ])('changes nothing (%s)', async (_name, headers, body) => {
    const before = api.called('phones.create').length
    const socket = connect(port, '127.0.0.1')
    socket.write(post('/v1/phones', 'Content-Type: application/json', ...headers.filter(Boolean)) + body)
    await sleep(100)
    socket.destroy()
    await sleep(200)
    expect(api.called('phones.create')).toHaveLength(before)
    expect((await api.request('GET', '/healthz')).statusCode).toBe(200)
  })
})

describe('a connection', () => {
  it('continues after a 413 whose body arrived completely', async () => {
    const text = await exchange(
      [
        post('/v1/phones', 'Content-Type: application/json', `Content-Length: ${limits.jsonBody + 1}`),
        ' '.repeat(limits.jsonBody + 1),
        'GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n',
      ],
      /"ok"/,
    )
    expect(text).toMatch(/^HTTP\/1\.1 413 [\s\S]*HTTP\/1\.1 200 /)
  })
})

describe('malformed HTTP', () => {
  it.each([
    ['no HTTP at all', 'hello\r\n\r\n'],
    ['an unknown method', 'FETCH / HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['headers over 16 KB', `GET / HTTP/1.1\r\nHost: a\r\nX-A: ${'a'.repeat(100_000)}\r\n\r\n`],
    ['a path over 16 KB', `GET /${'a'.repeat(100_000)} HTTP/1.1\r\nHost: a\r\n\r\n`],
    [
      'two lengths',
      'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    ['a bad chunk', 'POST /v1/phones HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n'],
    ['no Host', 'GET / HTTP/1.1\r\n\r\n'],
    ['CONNECT', 'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n'],
  ])('gets the error envelope: %s', async (_name, bytes) => {
    const text = await exchange([bytes], /"request_id":"[^"]+"/)
    const [head = '', body = ''] = text.split('\r\n\r\n')
    expect(head).toMatch(/^HTTP\/1\.1 40[0145] /)
    expect(head).toMatch(/cache-control: no-store/i)
    const requestId = /x-request-id: (req_[a-z2-7]{12})/i.exec(head)?.[1]
    const { error } = JSON.parse(body) as { error: { code: string; request_id: string } }
    expect(error.request_id).toBe(requestId)
  })
})

describe('collectBody', () => {
  const collect = (stream: PassThrough, declared = 0) => collectBody(stream, 10, declared)

  it('refuses after twice the limit without waiting for the rest, and continues to discard', async () => {
    const stream = new PassThrough()
    const result = collect(stream)
    stream.write(Buffer.alloc(21))
    await expect(result).rejects.toMatchObject({ code: 'payload_too_large' } satisfies Partial<ApiError>)
    stream.write(Buffer.alloc(100_000))
    await sleep(20)
    expect(stream.readableLength).toBe(0)
    stream.end()
  })

  it('stops discarding after 10 s, with or without a response', async () => {
    vi.useFakeTimers()
    try {
      const silent = collect(new PassThrough(), 11)
      const refused = expect(silent).rejects.toMatchObject({ code: 'payload_too_large' })
      const flood = new PassThrough()
      const flooded = expect(collect(flood)).rejects.toMatchObject({ code: 'payload_too_large' })
      flood.write(Buffer.alloc(21))
      await vi.advanceTimersByTimeAsync(9_999)
      expect(flood.destroyed).toBe(false)
      await vi.advanceTimersByTimeAsync(2)
      await Promise.all([refused, flooded])
      expect(flood.destroyed).toBe(true)
    } finally {
      vi.useRealTimers()
    }
  })

  it('reports that the client disconnected', async () => {
    const stream = new PassThrough()
    const result = collect(stream)
    stream.write('abc')
    stream.destroy()
    await expect(result).rejects.toMatchObject({
      code: 'validation_failed',
      details: { validation_stage: 'body' },
    })
  })
})
