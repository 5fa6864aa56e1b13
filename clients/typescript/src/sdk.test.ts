/** The classes over a real HTTP server that answers like the API. The real service is in `e2e/src/sdk.test.ts`. */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import {
  ActionError,
  ApiError,
  ConnectionError,
  Phonerack,
  PhonerackError,
  Setup,
  tap,
  type,
} from './index.js'

interface Asked {
  method: string
  url: string
  body: unknown
  idempotencyKey: string
}

let server: Server
let asked: Asked[]
let answer: (asked: Asked) => [status: number, body: unknown]
let client: Phonerack
let pageType: string

beforeEach(async () => {
  asked = []
  pageType = 'text/html'
  server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString()
      const one = {
        method: request.method ?? '',
        url: request.url ?? '',
        body: text === '' ? null : (JSON.parse(text) as unknown),
        idempotencyKey: String(request.headers['idempotency-key'] ?? ''),
      }
      asked.push(one)
      const [status, body] = answer(one)
      // A text is the page of a proxy.
      const [contentType, content] =
        typeof body === 'string' ? [pageType, body] : ['application/json', JSON.stringify(body)]
      response
        .writeHead(status, { 'content-type': contentType, 'x-request-id': 'req_bbbbbbbbbbbb' })
        .end(content)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  client = new Phonerack({ apiKey: 'prk_test', baseUrl: `http://127.0.0.1:${port}` })
})
afterEach(() => void server.close())

const phone = (status: string, failure: object | null = null) => ({
  id: 'ph_aaaaaaaaaaaa',
  object: 'phone',
  name: 'one',
  status,
  country: null,
  metadata: {},
  failure,
  created_at: '2026-01-01T00:00:00.000Z',
  last_active_at: null,
  session: null,
})
const observation = {
  snapshot_id: 'snp_aaaaaaaaaaaa',
  taken_at: '2026-01-01T00:00:00.000Z',
  truncated: false,
  text: '[1] button "Next"',
  app: { package: 'a.b', activity: null },
  keyboard: { visible: false, focused_editable: false },
  screen: { width: 100, height: 200 },
  elements: [
    {
      ref: 1,
      type: 'button',
      text: 'Next',
      desc: null,
      id: 'a.b:id/next',
      bounds: [0, 0, 10, 10],
      center: [5, 5],
      state: [],
    },
  ],
}

it('creates with a key for repeats, and waits until the phone is ready', async () => {
  let reads = 0
  answer = ({ method }) =>
    method === 'POST' ? [202, phone('creating')] : [200, phone((reads += 1) < 2 ? 'creating' : 'ready')]
  const made = await client.phones.create({ name: 'one', idleTimeout: 60, onIdle: 'delete' })
  expect(made.status).toBe('ready')
  expect(asked[0]).toMatchObject({
    method: 'POST',
    url: '/v1/phones',
    body: { name: 'one', on_idle: 'delete', idle_timeout: 60 },
  })
  expect(asked[0]?.idempotencyKey).toMatch(/^[\da-f-]{36}$/)
  expect(asked[1]?.url).toBe('/v1/phones/ph_aaaaaaaaaaaa?wait=ready&timeout=50')
})

it('throws the failure of a phone that cannot become ready', async () => {
  const failure = { code: 'capacity_unavailable', message: 'No device.', at: '2026-01-01T00:00:00.000Z' }
  answer = ({ method }) => (method === 'POST' ? [202, phone('creating')] : [200, phone('failed', failure)])
  await expect(client.phones.create()).rejects.toMatchObject({
    code: 'capacity_unavailable',
    details: { phone: 'ph_aaaaaaaaaaaa' },
  })
})

it('names the phone that is billed when the time ends, or the reads fail, before it is ready', async () => {
  // Aborts like the deadline of a call, but only during the read.
  const stop = new AbortController()
  answer = ({ method }) => {
    if (method === 'GET') stop.abort(new DOMException('late', 'TimeoutError'))
    return [202, phone('creating')]
  }
  const late = await client.phones.create({ signal: stop.signal }).catch((error: unknown) => error)
  expect(late).toBeInstanceOf(ConnectionError)
  expect(late).toMatchObject({
    code: 'timeout',
    isOutcomeUnknown: false,
    retryable: false,
    details: { phone: 'ph_aaaaaaaaaaaa' },
    message: expect.stringContaining('phones.get(') as string,
  })
  const refused = { type: 'authentication_error', code: 'key_revoked', message: 'It was revoked.' }
  answer = ({ method }) => (method === 'POST' ? [202, phone('creating')] : [401, { error: refused }])
  await expect(client.phones.create()).rejects.toMatchObject({
    code: 'key_revoked',
    details: { phone: 'ph_aaaaaaaaaaaa' },
  })
})

it('fails without advice to repeat the call when it was carried out and the wait after it breaks', async () => {
  const once = new Phonerack({ apiKey: 'prk_test', baseUrl: client.baseUrl, maxRetries: 0 })
  answer = () => [200, phone('parked')]
  const one = await once.phones.get('ph_aaaaaaaaaaaa')
  const busy = {
    type: 'provider_error',
    code: 'service_unavailable',
    message: 'It is busy.',
    retryable: true,
  }
  const calls = [() => once.phones.create(), () => one.start(), () => one.reboot(), () => one.reset()]
  for (const call of calls)
    for (const breaks of [true, false]) {
      answer = ({ method }) => {
        if (method === 'POST') return [202, phone('starting')]
        if (breaks) server.closeAllConnections()
        return [503, { error: busy }]
      }
      const code = breaks ? 'connection_failed' : 'service_unavailable'
      await expect(call(), `${calls.indexOf(call)} ${code}`).rejects.toMatchObject({
        code,
        retryable: false,
        isOutcomeUnknown: false,
        details: { phone: 'ph_aaaaaaaaaaaa' },
      })
    }
  // A wait alone changes nothing.
  await expect(one.waitUntilReady()).rejects.toMatchObject({ retryable: true })
})

it('pauses between two reads while a phone is parking', async () => {
  answer = () => [200, phone('parking')]
  const parking = await client.phones.get('ph_aaaaaaaaaaaa')
  await expect(parking.waitUntilParked({ timeout: 1200 })).rejects.toMatchObject({ code: 'timeout' })
  expect(asked.length).toBeLessThan(4)
})

it('pauses between two reads of a hand-over and of an upload that are answered immediately', async () => {
  const soon = new Date(Date.now() + 600_000).toISOString()
  answer = ({ url }) =>
    url.endsWith('/handoffs')
      ? [201, { id: 'hnd_a', url: 'https://a.example', expires_at: soon, status: 'open' }]
      : url.includes('/handoffs/')
        ? [200, { id: 'hnd_a', status: 'taken' }]
        : url.endsWith('/uploads')
          ? [
              201,
              { id: 'upl_a', upload_url: `${client.baseUrl.origin}/s`, upload_method: 'POST', max_bytes: 9 },
            ]
          : url === '/s'
            ? [200, { storageId: 'sto_a' }]
            : [200, url.includes('upl_a') ? { id: 'upl_a', status: 'processing' } : phone('ready')]
  const one = await client.phones.get('ph_aaaaaaaaaaaa')
  const handoff = await one.handOff({ message: 'Help.' })
  for (const [code, wait] of [
    ['handoff_open', () => handoff.done({ timeout: 1200 })],
    ['timeout', () => client.apps.upload(new Uint8Array([49]), { timeout: 1200 })],
  ] as const) {
    asked = []
    await expect(wait()).rejects.toMatchObject({ code })
    expect(asked.filter(({ method }) => method === 'GET').length).toBeLessThan(4)
  }
})

it('names the idempotency key of a create without an answer', async () => {
  const once = new Phonerack({ apiKey: 'prk_test', baseUrl: client.baseUrl, maxRetries: 0 })
  answer = () => [502, {}]
  const failed = await once.phones.create().catch((error: unknown) => error)
  expect(failed).toBeInstanceOf(PhonerackError)
  expect((failed as PhonerackError).details['idempotency_key']).toBe(asked[0]?.idempotencyKey)
})

it('finds elements, and taps one that was found', async () => {
  answer = ({ url }) =>
    url.endsWith('/observe')
      ? [200, observation]
      : url.endsWith('/actions')
        ? [200, { results: [{ index: 0, type: 'tap', ok: true, ms: 1 }], completed: 1 }]
        : [200, phone('ready')]
  const one = await client.phones.get('ph_aaaaaaaaaaaa')
  const screen = await one.observe()
  const next = screen.find({ text: /^Ne/g, type: 'button' })
  expect([next?.ref, screen.find({ id: 'next' })?.ref, screen.find({ text: 'Ne' })]).toEqual([1, 1, null])
  if (!next) throw new Error('not found')
  await one.act([tap(next), type('hello', { into: { text: 'Name' }, submit: true })])
  await one.tap({ text: 'Next' }, { timeout: 3000 })
  expect(asked.slice(2).map(({ body }) => body)).toEqual([
    {
      actions: [
        { type: 'tap', target: { ref: 1, snapshot_id: 'snp_aaaaaaaaaaaa' } },
        { type: 'type', text: 'hello', target: { text: 'Name' }, submit: true },
      ],
    },
    {
      actions: [
        { type: 'wait_for', target: { text: 'Next' }, timeout_ms: 3000 },
        { type: 'tap', target: { text: 'Next' } },
      ],
      observe: 'none',
    },
  ])
})

it('throws the error of the action that failed, with its candidates and the screen', async () => {
  const error = {
    code: 'ambiguous_target',
    message: 'Two match.',
    retryable: false,
    next: 'Use `nth`.',
    details: { candidates: [{ ref: 1 }, { ref: 2 }] },
  }
  answer = ({ url }) =>
    url.endsWith('/actions')
      ? [
          200,
          {
            results: [
              { index: 0, type: 'home', ok: true, ms: 1 },
              { index: 1, type: 'tap', ok: false, ms: 1, error },
            ],
            completed: 1,
            observation,
          },
        ]
      : [200, phone('ready')]
  const one = await client.phones.get('ph_aaaaaaaaaaaa')
  const failed = await one.act([{ type: 'home' }, tap({ text: 'Next' })]).catch((thrown: unknown) => thrown)
  expect(failed).toBeInstanceOf(ActionError)
  expect(failed).toMatchObject({ code: 'ambiguous_target', next: 'Use `nth`.', index: 1, completed: 1 })
  expect(failed).toMatchObject({ status: null, requestId: 'req_bbbbbbbbbbbb' })
  expect((failed as ActionError).details['candidates']).toHaveLength(2)
  expect((failed as ActionError).observation?.find({ text: 'Next' })?.ref).toBe(1)
})

it('iterates over all pages, and reads no more than needed', async () => {
  answer = ({ url }) =>
    url.includes('cursor=two')
      ? [200, { data: [phone('parked')], next_cursor: null }]
      : [200, { data: [phone('ready'), phone('ready')], next_cursor: 'two' }]
  expect((await client.phones.list().toArray()).map(({ status }) => status)).toEqual([
    'ready',
    'ready',
    'parked',
  ])
  asked = []
  expect(await client.phones.list().toArray(1)).toHaveLength(1)
  expect(asked).toHaveLength(1)
})

it('parks at the end of its block, even after an error', async () => {
  answer = ({ url }) => [200, phone(url.endsWith('/park') ? 'parked' : 'ready')]
  const use = async (): Promise<void> => {
    await using one = await client.phones.get('ph_aaaaaaaaaaaa')
    throw new RangeError(one.status)
  }
  await expect(use()).rejects.toThrow(RangeError)
  expect(asked.map(({ method, url }) => `${method} ${url}`)).toEqual([
    'GET /v1/phones/ph_aaaaaaaaaaaa',
    'POST /v1/phones/ph_aaaaaaaaaaaa/park',
  ])
})

it.each([
  ['text/html', '<h1>Sign in to the network</h1>'],
  ['application/json', '<h1>Sign in to the network</h1>'],
  ['application/json', ''],
  ['application/json', '"text"'],
  ['application/json', '[1]'],
  ['application/octet-stream', 'null'],
])('throws an unexpected answer for a page of the type %s: %s', async (contentType, page) => {
  pageType = contentType
  answer = () => [200, phone('ready')]
  const one = await client.phones.get('ph_aaaaaaaaaaaa')
  answer = () => [200, page]
  asked = []
  // The service may have answered, and a proxy replaced the body.
  const requestId = 'req_bbbbbbbbbbbb'
  const unexpected = { code: 'unexpected_answer', status: 200, retryable: false, requestId }
  const failureOf = async (call: Promise<unknown>): Promise<PhonerackError> => {
    const error: unknown = await call.then(
      () => null,
      (thrown: unknown) => thrown,
    )
    expect(error).toBeInstanceOf(ApiError)
    expect(error).toMatchObject(unexpected)
    return error as PhonerackError
  }
  const reads = [
    () => client.account(),
    () => client.phones.get('ph_aaaaaaaaaaaa'),
    () => client.phones.list().toArray(),
    () => client.request('GET', '/v1/account'),
    () => client.apps.getUpload('upl_a'),
    () => one.observe(),
    () => one.device.clipboard(),
    () => one.files.list(),
  ]
  for (const read of reads)
    expect((await failureOf(read())).next).toBe('Check the base URL, and proxies in between.')
  const writes = [
    () => one.tap({ text: 'Next' }),
    () => one.park(),
    () => one.handOff({ message: 'Help.' }),
    () => one.device.setLocale('de-DE'),
    () => one.files.write('/sdcard/a', '1'),
    () => client.request('POST', '/v1/phones'),
    () => Setup.start({ baseUrl: client.baseUrl }),
  ]
  for (const write of writes)
    expect((await failureOf(write())).next).toContain('may have been carried out: read the state')
  expect(asked).toHaveLength(reads.length + writes.length)
  const created = await failureOf(client.phones.create())
  expect(created.details).toEqual({ idempotency_key: asked.at(-1)?.idempotencyKey })
  expect(created.next).toContain(`use the idempotency key ${asked.at(-1)?.idempotencyKey}`)
})

it('makes requests without options that only Deno has', async () => {
  const names = new Set<string>()
  vi.stubGlobal(
    'Request',
    class extends Request {
      constructor(input: RequestInfo | URL, init: RequestInit = {}) {
        super(input, init)
        for (const name of Object.keys(init)) names.add(name)
      }
    },
  )
  try {
    answer = () => [200, phone('ready')]
    await (await client.phones.create()).update({ name: 'two' })
    await client.phones.handle('ph_aaaaaaaaaaaa').delete()
  } finally {
    vi.unstubAllGlobals()
  }
  expect([...names]).toEqual(expect.arrayContaining(['method', 'body', 'signal']))
  expect(names).not.toContain('client')
})

it('returns files of any type as they are', async () => {
  answer = () => [200, phone('ready')]
  const one = await client.phones.get('ph_aaaaaaaaaaaa')
  answer = () => [200, '<p>A page.</p>']
  const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString()
  expect(text(await one.files.read('/sdcard/a.html'))).toBe('<p>A page.</p>')
  expect(text(await one.screenshot())).toBe('<p>A page.</p>')
  expect(await (await client.send('GET', '/v1/any')).text()).toBe('<p>A page.</p>')
})
