/** The order of checks: each request breaks several rules, and the first in order is returned. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { errorOf, servicesUsed, startApi, type TestApi } from '../../testing/api.js'

let api: TestApi
let phone: string
/** A server that accepts one request per key and minute. */
let strict: TestApi
const keys = new Map<NonNullable<Broken['key']>, string | null>()
beforeAll(async () => {
  api = await startApi()
  strict = await api.beside(
    { requestsPerKeyPerMinute: 1 },
    { clock: { now: () => new Date('2026-01-02T03:04:05Z') } },
  )
  phone = await api.placePhone('parked')
  const { db } = api.plane.app.core
  const dead = async (change: { expiresAt: Date } | { revokedAt: Date }): Promise<string> => {
    const secret = await api.keyOf('agent')
    const { id } = await db.apiKey.findFirstOrThrow({ orderBy: { createdAt: 'desc' } })
    await db.apiKey.update({ where: { id }, data: change })
    return secret
  }
  keys.set('none', null)
  keys.set('bad', 'prk_tooshort')
  keys.set('expired', await dead({ expiresAt: new Date(0) }))
  keys.set('revoked', await dead({ revokedAt: new Date(0) }))
  for (const preset of ['read-only', 'agent', 'admin'] as const) keys.set(preset, await api.keyOf(preset))
  keys.set('limited', await api.keyOf('agent', [await api.placePhone('parked')]))
})
afterAll(() => api.close())

const json = { 'content-type': 'application/json' }
const malformed = 'not-a-phone'
const huge = `{"name":"${'a'.repeat(200_001)}"}`

interface Broken {
  origin?: boolean
  key?: 'none' | 'bad' | 'expired' | 'revoked' | 'read-only' | 'agent' | 'admin' | 'limited'
  exhausted?: boolean
  body?: string
  query?: string
  header?: Record<string, string>
}

async function send(method: string, url: string, broken: Broken) {
  const key = keys.get(broken.key ?? 'agent')
  const { request } = broken.exhausted ? strict : api
  if (broken.exhausted) await request('GET', '/v1/account', { key: key ?? null })
  return request(method, url + (broken.query ?? ''), {
    key: key ?? null,
    headers: {
      ...(broken.origin ? { origin: 'https://a.example' } : {}),
      ...(broken.body === undefined ? {} : json),
      ...broken.header,
    },
    ...(broken.body === undefined ? {} : { payload: broken.body }),
  })
}

const everything: Broken = {
  key: 'none',
  body: '{not json',
  query: '?limit=0&limit=0',
  header: { 'idempotency-key': '!' },
}

describe('the order of checks', () => {
  it.each<[string, string, string, Broken, number, string]>([
    [
      'Origin before 404',
      'GET',
      '/v1/none',
      { ...everything, origin: true },
      403,
      'browser_requests_not_allowed',
    ],
    [
      'Origin before 405',
      'PUT',
      '/v1/phones',
      { ...everything, origin: true },
      403,
      'browser_requests_not_allowed',
    ],
    [
      'Origin before the key',
      'POST',
      '/v1/phones',
      { ...everything, origin: true },
      403,
      'browser_requests_not_allowed',
    ],
    ['404 before the key', 'POST', '/v1/none', everything, 404, 'not_found'],
    ['405 before the key', 'PUT', `/v1/phones/${malformed}`, everything, 405, 'method_not_allowed'],
    ['the key before the body', 'POST', '/v1/phones', everything, 401, 'invalid_api_key'],
    ['a bad key before 413', 'POST', '/v1/phones', { key: 'bad', body: huge }, 401, 'invalid_api_key'],
    [
      'an expired key before the query',
      'GET',
      '/v1/phones',
      { key: 'expired', query: '?limit=0' },
      401,
      'key_expired',
    ],
    [
      'a revoked key before the phone',
      'GET',
      `/v1/phones/${malformed}`,
      { key: 'revoked' },
      401,
      'key_revoked',
    ],
    [
      'the rate before scope',
      'POST',
      `/v1/phones/${malformed}/park`,
      { key: 'read-only', exhausted: true, body: '[' },
      429,
      'rate_limited',
    ],
    [
      'the rate before the body of create',
      'POST',
      '/v1/phones',
      { exhausted: true, body: '[' },
      429,
      'rate_limited',
    ],
    [
      'scope before the body',
      'POST',
      `/v1/phones/${malformed}/actions`,
      { key: 'read-only', body: '{not json' },
      403,
      'insufficient_scope',
    ],
    [
      'scope before 413',
      'PATCH',
      `/v1/phones/${malformed}`,
      { key: 'read-only', body: huge },
      403,
      'insufficient_scope',
    ],
    [
      'scope before the phone',
      'DELETE',
      `/v1/phones/${malformed}`,
      { key: 'agent' },
      403,
      'insufficient_scope',
    ],
    [
      'create: 400 before scope',
      'POST',
      '/v1/phones',
      { key: 'read-only', body: '{"x":1}' },
      400,
      'validation_failed',
    ],
    [
      'create: the header before scope',
      'POST',
      '/v1/phones',
      { key: 'read-only', header: { 'idempotency-key': 'short' } },
      400,
      'validation_failed',
    ],
    [
      'create: the header before 413',
      'POST',
      '/v1/phones',
      { header: { 'idempotency-key': 'short' }, body: huge },
      400,
      'validation_failed',
    ],
    [
      'create: 413 before scope',
      'POST',
      '/v1/phones',
      { key: 'read-only', body: huge },
      413,
      'payload_too_large',
    ],
    ['create: scope last', 'POST', '/v1/phones', { key: 'read-only', body: '{}' }, 403, 'insufficient_scope'],
    [
      'create: 400 before the limit to phones',
      'POST',
      '/v1/phones',
      { key: 'limited', body: '[]' },
      400,
      'validation_failed',
    ],
    ['create: a limited key', 'POST', '/v1/phones', { key: 'limited' }, 403, 'insufficient_scope'],
    [
      'the body before the phone',
      'POST',
      `/v1/phones/${malformed}/start`,
      { body: '{"wait":1}' },
      400,
      'validation_failed',
    ],
    [
      '413 before the phone',
      'POST',
      `/v1/phones/${malformed}/start`,
      { body: huge },
      413,
      'payload_too_large',
    ],
    [
      'the query before the phone',
      'GET',
      `/v1/phones/${malformed}`,
      { query: '?wait=x' },
      400,
      'validation_failed',
    ],
    [
      'the header before the phone',
      'POST',
      `/v1/phones/${malformed}/park`,
      { header: { 'idempotency-key': '-starts' } },
      400,
      'validation_failed',
    ],
    ['the phone last', 'POST', `/v1/phones/${malformed}/park`, {}, 404, 'phone_not_found'],
  ])('%s [5.2, 22.7]', async (_rule, method, url, broken, status, code) => {
    const before = api.calls.length
    errorOf(await send(method, url, broken), status, code)
    expect(servicesUsed(api, before)).toEqual([])
  })

  it('checks the status of a phone last', async () => {
    const id = phone
    const error = errorOf(await send('GET', `/v1/phones/${id}/observe`, {}), 409, 'phone_not_running')
    expect(error).toMatchObject({ next: `POST /v1/phones/${id}/start`, details: { status: 'parked' } })
    errorOf(await send('GET', `/v1/phones/${id}/observe`, { query: '?format=xml' }), 400, 'validation_failed')
    errorOf(await send('GET', `/v1/phones/${id}/observe`, { key: 'limited' }), 403, 'phone_not_allowed')
  })
})

describe('keys', () => {
  it.each([
    ['no header', undefined],
    ['another scheme', 'Basic abc'],
    ['no key', 'Bearer '],
    ['a key of another kind', `Bearer prs_${'a'.repeat(43)}`],
    ['a key that is too long', `Bearer prk_${'a'.repeat(44)}`],
    ['a key with an odd character', `Bearer prk_${'a'.repeat(42)}!`],
    ['an unknown key', `Bearer prk_${'a'.repeat(43)}`],
    ['something after the key', `Bearer prk_${'a'.repeat(43)} x`],
  ])('%s is 401 invalid_api_key [18.3, 23.3]', async (_name, authorization) => {
    const headers = authorization === undefined ? {} : { authorization }
    const response = await api.request('GET', '/v1/account', { key: null, headers })
    errorOf(response, 401, 'invalid_api_key')
    expect(response.body).not.toContain('aaaa')
    expect(response.headers['www-authenticate']).toBe('Bearer')
  })

  it('accepts the scheme in any case', async () => {
    const headers = { authorization: `bearer ${api.key}` }
    expect((await api.request('GET', '/v1/account', { key: null, headers })).statusCode).toBe(200)
  })
})

describe('scopes', () => {
  const id = 'ph_aaaaaaaaaaaa'
  it.each([
    ['POST', '/v1/phones', 'phones:create'],
    ['GET', '/v1/phones', 'phones:read'],
    ['GET', `/v1/phones/${id}`, 'phones:read'],
    ['PATCH', `/v1/phones/${id}`, 'phones:control'],
    ['DELETE', `/v1/phones/${id}`, 'phones:delete'],
    ['POST', `/v1/phones/${id}/start`, 'phones:control'],
    ['POST', `/v1/phones/${id}/park`, 'phones:control'],
    ['POST', `/v1/phones/${id}/heartbeat`, 'phones:control'],
    ['GET', `/v1/phones/${id}/sessions`, 'phones:read'],
    ['GET', `/v1/phones/${id}/observe`, 'phones:read'],
    ['GET', `/v1/phones/${id}/screenshot`, 'phones:read'],
    ['POST', `/v1/phones/${id}/actions`, 'phones:control'],
    ['GET', '/v1/account', 'phones:read'],
  ])('%s %s needs %s', async (method, url, scope) => {
    const held = {
      'phones:read': 'read-only',
      'phones:control': 'agent',
      'phones:create': 'agent',
      'phones:delete': 'admin',
    }
    const lacking = {
      'phones:control': 'read-only',
      'phones:create': 'read-only',
      'phones:delete': 'agent',
    } as Record<string, string>
    const without = lacking[scope]
    if (without) {
      const refused = await send(method, url, { key: without as 'agent' })
      expect(errorOf(refused, 403, 'insufficient_scope').details).toEqual({ required: scope })
    }
    const response = await send(method, url, { key: held[scope as keyof typeof held] as 'agent' })
    expect(response.statusCode).not.toBe(403)
  })

  it('returns phones:create as missing for a limited key with any preset', async () => {
    for (const preset of ['agent', 'admin', 'read-only'] as const) {
      const refused = await api.request('POST', '/v1/phones', { key: await api.keyOf(preset, [phone]) })
      expect(errorOf(refused, 403, 'insufficient_scope').details).toEqual({ required: 'phones:create' })
    }
  })
})
