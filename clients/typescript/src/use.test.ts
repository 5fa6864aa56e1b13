/** The first hour of an agent's author: capacity, phones by key, screens as text, pictures, and errors as they print. */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { inspect } from 'node:util'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { ActionError, Phonerack, shell, type Retry } from './index.js'
import { millisecondsOf } from './milliseconds.js'

interface Asked {
  request: string
  body: Record<string, unknown>
  key: string
}
interface Reply {
  status?: number
  headers?: Record<string, string>
  body: object | Uint8Array
}

let server: Server
let asked: Asked[]
let reply: (asked: Asked) => Reply
let retries: Retry[]
let client: Phonerack

beforeEach(async () => {
  ;[asked, retries] = [[], []]
  server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString()
      const one: Asked = {
        request: `${request.method} ${request.url}`,
        body: (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>,
        key: String(request.headers['idempotency-key'] ?? ''),
      }
      asked.push(one)
      const { status = 200, headers = {}, body } = reply(one)
      response
        .writeHead(status, { 'content-type': 'application/json', ...headers })
        .end(body instanceof Uint8Array ? body : JSON.stringify(body))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  client = new Phonerack({ apiKey: 'prk_test', baseUrl, onRetry: (retry) => retries.push(retry) })
})
afterEach(() => void server.close())

const phone = (status: string, id = 'ph_aaaaaaaaaaaa') => ({
  id,
  object: 'phone',
  name: id,
  status,
  country: null,
  on_idle: 'park',
  metadata: {},
  created_at: '',
  last_active_at: null,
  session: null,
  failure: null,
})
const full = (retryAfter = '1'): Reply => ({
  status: 503,
  headers: { 'retry-after': retryAfter },
  body: {
    error: {
      type: 'provider_error',
      code: 'capacity_unavailable',
      message: 'No free phone.',
      retryable: true,
      next: null,
      request_id: 'req_aaaaaaaaaaaa',
      details: {},
    },
  },
})

it('fails immediately when no phone is free', async () => {
  reply = () => full('3')
  const startedAt = performance.now()
  await expect(client.phones.create()).rejects.toMatchObject({ code: 'capacity_unavailable' })
  expect([asked.length, retries.length]).toEqual([1, 0])
  expect(performance.now() - startedAt).toBeLessThan(2000)
})

it('waits for a free phone as long as the caller wants, with the same key, and reports each repeat', async () => {
  reply = () => (asked.length < 3 ? full() : { status: 201, body: phone('ready') })
  expect((await client.phones.create({ retry: { capacity: '5s' } })).id).toBe('ph_aaaaaaaaaaaa')
  expect(new Set(asked.map(({ key }) => key)).size).toBe(1)
  expect(retries.map(({ error, waitMs, method, path }) => [error.code, waitMs, method, path])).toEqual([
    ...[
      ['capacity_unavailable', 1000, 'POST', '/v1/phones'],
      ['capacity_unavailable', 1000, 'POST', '/v1/phones'],
    ],
  ])
  reply = () => full()
  asked = []
  await expect(client.phones.create({ retry: { capacity: 2500 } })).rejects.toMatchObject({
    code: 'capacity_unavailable',
  })
  expect(asked).toHaveLength(3)
})

it('reads durations, and refuses other texts', () => {
  expect([50, '0s', '90s', '2m', '1.5h', '20ms'].map(millisecondsOf)).toEqual([
    50, 0, 90_000, 120_000, 5_400_000, 20,
  ])
  for (const given of ['2', 'm', '', '-1s', -1, Number.NaN, Infinity])
    expect(() => millisecondsOf(given)).toThrow('duration')
})

it('creates a phone for a key once, and finds, starts or replaces it later', async () => {
  const listed: object[] = []
  reply = ({ request, key }) => {
    if (request.startsWith('GET /v1/phones?')) return { body: { data: listed, next_cursor: null } }
    if (request.startsWith('POST /v1/phones/')) return { body: phone('ready') }
    if (request === 'POST /v1/phones')
      return key === asked.find(({ key: first }) => first !== '')?.key
        ? { status: 201, body: phone('deleted', 'ph_dead') }
        : { status: 201, body: phone('ready') }
    throw new Error(request)
  }
  const create = () => client.phones.getOrCreate({ key: 'shop 1', name: 'shop', metadata: { a: 'b' } })
  expect((await create()).status).toBe('ready')
  const creates = asked.filter(({ request }) => request === 'POST /v1/phones')
  expect(creates.map(({ body }) => body)).toEqual([
    { name: 'shop', metadata: { a: 'b', key: 'shop 1' }, wait: false },
    { name: 'shop', metadata: { a: 'b', key: 'shop 1' }, wait: false },
  ])
  expect(creates[0]?.key).toMatch(/^key-[0-9a-f]{64}$/)
  expect(creates[1]?.key).not.toBe(creates[0]?.key)
  asked = []
  listed.push(phone('parked'))
  expect((await create()).status).toBe('ready')
  expect(asked.map(({ request }) => request)).toEqual([
    'GET /v1/phones?metadata[key]=shop%201',
    'POST /v1/phones/ph_aaaaaaaaaaaa/start',
  ])
})

it('returns the phone of a key that was created with other options, and replaces it after its end', async () => {
  const conflict = (code: string) => ({
    status: 409,
    body: {
      error: {
        type: 'invalid_request',
        code,
        message: 'Other content.',
        retryable: false,
        next: null,
        request_id: 'req_aaaaaaaaaaaa',
        details: {},
      },
    },
  })
  let ended: object[] = []
  let running: object[] = []
  let refused = 0
  reply = ({ request, key }) => {
    if (request.includes('status=deleted')) return { body: { data: ended, next_cursor: null } }
    if (request.includes('status=failed')) return { body: { data: [], next_cursor: null } }
    if (request.startsWith('GET /v1/phones?')) {
      // Another caller creates the phone after the first request.
      const data = refused > 0 ? running : []
      return { body: { data, next_cursor: null } }
    }
    if (request.startsWith('GET /v1/phones/')) return { body: phone('ready') }
    const first = asked.find(({ key: sent }) => sent !== '')?.key
    if (key === first) {
      refused += 1
      return conflict('idempotency_conflict')
    }
    return { status: 201, body: phone('ready', 'ph_new') }
  }
  running = [phone('ready')]
  expect((await client.phones.getOrCreate({ key: 'a', name: 'b' })).id).toBe('ph_aaaaaaaaaaaa')
  ;[asked, running, ended, refused] = [[], [], [phone('deleted', 'ph_dead')], 0]
  expect((await client.phones.getOrCreate({ key: 'a', name: 'b' })).id).toBe('ph_new')
  ;[asked, ended, refused] = [[], [], 0]
  await expect(client.phones.getOrCreate({ key: 'a' })).rejects.toMatchObject({
    code: 'idempotency_conflict',
  })
  expect(refused).toBe(1)
})

it('waits for a phone that is parking, and creates another one if the park deleted it', async () => {
  let end = 'parked'
  reply = ({ request }) => {
    if (request.startsWith('GET /v1/phones?'))
      return { body: { data: [phone('parking')], next_cursor: null } }
    if (request.startsWith('GET /v1/phones/')) return { body: phone(end) }
    return { status: 201, body: phone('ready', request === 'POST /v1/phones' ? 'ph_new' : undefined) }
  }
  expect((await client.phones.getOrCreate({ key: 'a' })).id).toBe('ph_aaaaaaaaaaaa')
  end = 'deleted'
  expect((await client.phones.getOrCreate({ key: 'a' })).id).toBe('ph_new')
})

const text = 'app x\nkeyboard hidden\nscreen 10x20\n[1] Button "Pay 7,50" clickable (5,5)'
const seen = {
  snapshot_id: 'snp_aaaaaaaaaaaa',
  taken_at: '2026-01-01T00:00:00.000Z',
  truncated: false,
  text,
  app: { package: 'x', activity: null },
  keyboard: { visible: false, focused_editable: false },
  screen: { width: 10, height: 20 },
}

it('has the screen of a batch that observes text', async () => {
  reply = () => ({
    body: { results: [{ index: 0, type: 'home', ok: true, ms: 1 }], completed: 1, observation: seen },
  })
  const { observation } = await client.phones
    .handle('ph_aaaaaaaaaaaa')
    .act([{ type: 'home' }], { observe: 'text' })
  expect([String(observation), observation?.elements]).toEqual([text, []])
})

it('remembers the last screen for its changes', async () => {
  const element = { ref: 1, type: 'Button', text: 'Pay', desc: null, id: null, state: ['clickable'] }
  const elements = [{ ...element, bounds: [0, 0, 10, 10], center: [5, 5] }]
  const phone = client.phones.handle('ph_aaaaaaaaaaaa')
  reply = () => ({ body: { ...seen, elements } })
  const first = await phone.changes()
  expect([first.isWhole, first.isSame, first.added.length, String(first)]).toEqual([true, false, 1, text])
  expect(asked.at(-1)?.request).not.toContain('since')

  const sorted = { since: seen.snapshot_id, same: false, added: elements, changed: [], removed: [7], kept: 3 }
  const results = [{ index: 0, type: 'home', ok: true, ms: 1 }]
  const changes = { ...seen, snapshot_id: 'snp_bbbbbbbbbbbb', ...sorted }
  reply = () => ({ body: { results, completed: 1, observation: changes } })
  const acted = await phone.act([{ type: 'home' }], { observe: 'changes' })
  expect(asked.at(-1)?.body).toMatchObject({ observe: 'changes', since: 'snp_aaaaaaaaaaaa' })
  expect(acted.observation).toBeNull()
  expect(acted.changes).toMatchObject({ isWhole: false, removed: [7], changed: [] })
  expect(acted.changes?.added[0]).toMatchObject({ ref: 1, snapshot_id: 'snp_bbbbbbbbbbbb' })

  reply = () => ({ body: { ...changes, same: true, added: [], removed: [] } })
  expect((await phone.changes()).isSame).toBe(true)
  expect(asked.at(-1)?.request).toContain('since=snp_bbbbbbbbbbbb')
})

it('prints a failed action with the screen once', async () => {
  const element = { ref: 1, type: 'Button', text: 'Pay 7,50', desc: null, id: null, center: [5, 5] }
  const error = {
    code: 'target_not_found',
    message: 'No element.',
    retryable: false,
    next: 'Observe.',
    details: { target: { text: 'Buy' }, candidates: [element] },
  }
  const elements = [{ ...element, bounds: [0, 0, 10, 10], state: ['clickable'] }]
  reply = () => ({
    body: {
      results: [{ index: 0, type: 'tap', ok: false, ms: 1, error }],
      completed: 0,
      observation: { ...seen, elements },
    },
  })
  const failed = await client.phones
    .handle('ph_aaaaaaaaaaaa')
    .tap({ text: 'Buy' })
    .catch((thrown: unknown) => thrown)
  if (!(failed instanceof ActionError)) throw new Error('no ActionError')
  const printed = inspect(failed)
  expect(printed.match(/Pay 7,50/g)).toHaveLength(1)
  for (const part of [
    'TargetNotFoundError: No element. Observe.',
    "code: 'target_not_found'",
    "text: 'Buy'",
    'index: 0',
  ])
    expect(printed).toContain(part)
  expect(failed.observation?.find({ text: 'Pay 7,50' })?.ref).toBe(1)
  expect(failed.details['candidates']).toHaveLength(1)
})

it('has the scale of a screenshot, and whether its window forbids it', async () => {
  reply = () => ({
    headers: {
      'content-type': 'image/jpeg',
      'x-screen-width': '1080',
      'x-screen-height': '2400',
      'x-screen-scale': '0.666667',
      'x-screen-secure': 'true',
      'x-snapshot-id': 'snp_aaaaaaaaaaaa',
    },
    body: new Uint8Array([1, 2, 3]),
  })
  const shot = await client.phones.handle('ph_aaaaaaaaaaaa').screenshot({ maxWidth: 720, quality: 50 })
  expect([...shot]).toEqual([1, 2, 3])
  expect(shot).toMatchObject({
    scale: 0.666667,
    secure: true,
    snapshotId: 'snp_aaaaaaaaaaaa',
    screen: { width: 1080, height: 2400 },
  })
  expect(asked[0]?.request).toContain('quality=50')
  expect(shot.slice(1).constructor).toBe(Uint8Array)
})

it('presses long and taps twice, after a wait if there is a time', async () => {
  reply = ({ body }) => ({
    body: {
      results: (body['actions'] as { type: string }[]).map(({ type }, index) => ({
        index,
        type,
        ok: true,
        ms: 1,
      })),
      completed: 1,
    },
  })
  const one = client.phones.handle('ph_aaaaaaaaaaaa')
  const target = { text: 'Note' }
  await one.longPress(target, { durationMs: 900, timeout: 500 })
  await one.doubleTap(target)
  expect(asked.map(({ body }) => body['actions'])).toEqual([
    [
      { type: 'wait_for', target, timeout_ms: 500 },
      { type: 'long_press', target, duration_ms: 900 },
    ],
    [{ type: 'double_tap', target }],
  ])
})

it('runs shell commands, whose failure is a result', async () => {
  const result = {
    stdout: '',
    stderr: 'no',
    exit_code: 1,
    timed_out: false,
    truncated: false,
    duration_ms: 5,
  }
  reply = () => ({ body: result })
  const one = client.phones.handle('ph_aaaaaaaaaaaa')
  expect(await one.shell('false')).toEqual(result)
  await one.shell('cat', { stdin: 'in', timeout: 1500 })
  expect(asked.map(({ body }) => body)).toEqual([
    { command: 'false' },
    { command: 'cat', stdin: 'in', timeout: 1.5 },
  ])
  expect(shell('ls', { timeout: 500 })).toMatchObject({ type: 'shell', command: 'ls', timeout_ms: 500 })
})

it('says that a hand-over is still open when its deadline has passed', async () => {
  const expires_at = new Date(Date.now() + 3_600_000).toISOString()
  const open = {
    id: 'hnd_aaaaaaaaaaaa',
    status: 'taken',
    url: 'https://x',
    expires_at,
    ended_at: null,
    note: null,
  }
  reply = () => ({ body: open })
  const handoff = await client.phones.handle('ph_aaaaaaaaaaaa').handOff({ message: 'Sign in.' })
  await expect(handoff.done({ deadline: 700 })).rejects.toMatchObject({
    code: 'handoff_open',
    retryable: true,
    details: { handoff: 'hnd_aaaaaaaaaaaa', status: 'taken' },
    message: expect.stringMatching(
      /^No answer of the person arrived before the deadline\. .*`done\(\)`/,
    ) as string,
  })
})
