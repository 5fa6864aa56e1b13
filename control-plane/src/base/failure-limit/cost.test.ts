/**
 * Every path without a key, over real sockets and Postgres: the cost of a wrong secret, before and
 * after its address is limited.
 */
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { hashSecret, newSecret } from '@phonerack/shared'
import { WebSocket } from 'ws'
import { closings, protocol } from '../../phone-io/live/page/wire.js'
import { watchQueries, type QueryLog } from '../../testing/query-log.js'
import { uploadClient, type UploadClient } from '../../testing/uploads.js'
import { useWorld, type Plane } from '../../testing/world.js'

const world = useWorld()
let plane: Plane
let client: UploadClient
let queries: QueryLog
/** Far from the end of a minute, so that no count resets during a test. */
let now = new Date('2026-03-01T10:00:05Z')
const clock = { now: () => now }

beforeAll(async () => {
  plane = await world.start({
    clock,
    env: {
      PHONERACK_FAILURES_PER_MINUTE: '60',
      PHONERACK_TRUSTED_PROXIES: '127.0.0.1',
      PHONERACK_JOBS: 'off',
    },
  })
  client = await uploadClient(plane, await plane.tenant())
  queries = watchQueries()
})
afterAll(() => queries.stop())
beforeEach(() => {
  now = new Date(now.getTime() + 60_000)
})

const ofUploads = (): string[] => queries.texts.filter((text) => /uploads/.test(text))
const locks = (): string[] => queries.texts.filter((text) => /advisory|uploads.*for update/i.test(text))

const send = async (
  token: string,
  from: string,
): Promise<{ status: number; code: string; after: string | null }> => {
  const response = await fetch(`${client.origin}/uploads/${token}`, {
    method: 'POST',
    headers: { 'x-forwarded-for': from },
    body: new Uint8Array(10),
  })
  const body = (await response.json()) as { error?: { code: string } }
  return { status: response.status, code: body.error?.code ?? '', after: response.headers.get('retry-after') }
}

it('an unknown token takes no lock and at most one query', async () => {
  queries.clear()
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => send(newSecret('upload'), '203.0.113.1')),
  )
  expect(answers.map(({ code }) => code)).toEqual(Array.from({ length: 20 }, () => 'upload_not_found'))
  expect(ofUploads().length).toBeLessThanOrEqual(20)
  expect(locks()).toEqual([])
})

it('a limited address costs one query for all its unknown tokens together, none for a repeated one, and its valid token is accepted [20.62]', async () => {
  const from = '203.0.113.2'
  for (let each = 0; each < 60; each += 1) {
    const { code } = await send(newSecret('upload'), from)
    expect(code).toBe('upload_not_found')
  }
  queries.clear()
  const tokens = Array.from({ length: 100 }, () => newSecret('upload'))
  const begun = performance.now()
  const answers = await Promise.all(tokens.map((token) => send(token, from)))
  const tookMs = performance.now() - begun
  for (const { status, code, after } of answers) {
    expect([status, code]).toEqual([429, 'rate_limited'])
    expect(Number(after)).toBeGreaterThan(0)
  }
  // One query per quarter of a second, however long a busy machine needs for the requests.
  expect(ofUploads().length).toBeLessThanOrEqual(Math.ceil(tookMs / 250))
  expect(ofUploads().length).toBeLessThan(tokens.length / 2)
  queries.clear()
  expect(
    (await Promise.all(tokens.map((token) => send(token, from)))).every(({ status }) => status === 429),
  ).toBe(true)
  expect((await send('pru_of-another-form', from)).status).toBe(429)
  expect(ofUploads()).toEqual([])

  const created = await client.create()
  const token = new URL(created.upload_url).pathname.split('/').at(-1) ?? ''
  expect((await send(token, from)).status).toBe(200)
  expect((await send(newSecret('upload'), from)).status).toBe(429)
  expect((await send(newSecret('upload'), '203.0.113.3')).status).toBe(404)
})

it('wrong keys are limited by address, and a valid key from that address is accepted [20.61]', async () => {
  const get = async (key: string | null, from: string) => {
    const response = await fetch(`${client.origin}/v1/account`, {
      headers: { 'x-forwarded-for': from, ...(key === null ? {} : { authorization: `Bearer ${key}` }) },
    })
    const body = (await response.json()) as { error?: { code: string; next: string | null } }
    return { status: response.status, code: body.error?.code, next: body.error?.next }
  }
  const address = (last: number): string => `2001:db8:5:6::${last.toString(16)}`
  for (let each = 1; each <= 60; each += 1) {
    const key = each % 3 === 0 ? null : each % 3 === 1 ? 'malformed' : newSecret('apiKey')
    expect((await get(key, address(each))).code).toBe('invalid_api_key')
  }
  queries.clear()
  const repeated = newSecret('apiKey')
  for (const key of [repeated, repeated, null, 'malformed'])
    expect(await get(key, address(999))).toMatchObject({ status: 429, code: 'rate_limited' })
  // The periodic check of live links also reads keys, and the last use of keys is written in between.
  const ofKeys = queries.texts.filter(
    (text) => /api_keys/.test(text) && !/live_links|last_used_at/.test(text),
  )
  expect(ofKeys.length).toBeLessThanOrEqual(1)
  const { key } = await plane.tenant()
  expect((await get(key, address(999))).status).toBe(200)
  expect((await get(newSecret('apiKey'), '2001:db8:5:7::1')).status).toBe(401)
})

it('setup tokens and join tokens are limited the same way [20.63]', async () => {
  const post = async (url: string, body: object, from: string): Promise<number> => {
    const response = await fetch(`${client.origin}${url}`, {
      method: 'POST',
      headers: { 'x-forwarded-for': from, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    await response.arrayBuffer()
    return response.status
  }
  const join = (from: string): Promise<number> =>
    post(
      '/host/v1/join',
      {
        token: newSecret('hostJoin'),
        name: 'a',
        country: 'US',
        public_key_pem: 'a',
        nats_public_key: `U${'A'.repeat(55)}`,
      },
      from,
    )
  const collect = (token: string, from: string): Promise<number> =>
    post('/v1/setup/token', { setup_token: token }, from)
  for (let each = 0; each < 30; each += 1) {
    expect(await collect(newSecret('setup'), '203.0.113.4')).toBe(404)
    expect(await join('203.0.113.4')).toBe(401)
  }
  expect(await collect(newSecret('setup'), '203.0.113.4')).toBe(429)
  expect(await join('203.0.113.4')).toBe(429)
  const begun = await fetch(`${client.origin}/v1/setup`, {
    method: 'POST',
    headers: { 'x-forwarded-for': '203.0.113.4' },
  })
  const { setup_token: token } = (await begun.json()) as { setup_token: string }
  expect(await collect(token, '203.0.113.4')).toBe(200)
})

it('live sockets with wrong tokens are limited by the address that the proxy reports, without additional queries [20.64]', async () => {
  const open = (token: string, from: string): Promise<number> =>
    new Promise((resolve, reject) => {
      const socket = new WebSocket(`${client.origin.replace('http', 'ws')}/live/socket`, protocol, {
        origin: new URL(plane.config.http.baseUrl).origin,
        headers: { 'x-forwarded-for': from },
      })
      socket.once('error', reject)
      socket.once('open', () => socket.send(JSON.stringify({ type: 'open', token })))
      socket.once('close', resolve)
    })
  for (let each = 0; each < 60; each += 1)
    expect(await open(newSecret('live'), '203.0.113.5')).toBe(closings.unknown.code)
  queries.clear()
  const token = newSecret('live')
  expect(await open(token, '203.0.113.5')).toBe(closings.limited.code)
  expect(await open(token, '203.0.113.5')).toBe(closings.limited.code)
  const ofToken = queries.queries.filter(({ values }) => values.includes(hashSecret(token)))
  expect(ofToken).toHaveLength(1)
  expect(await open(newSecret('live'), '203.0.113.6')).toBe(closings.unknown.code)
})
