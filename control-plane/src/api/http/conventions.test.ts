import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Health } from './service-paths.js'
import { errorOf, expectConventions, startApi, type TestApi } from '../../testing/api.js'

let api: TestApi
beforeAll(async () => {
  api = await startApi({
    extra: {
      plugins: [
        (app) => {
          app.get('/operator/v1/broken', () => {
            throw new Error('secret inside')
          })
          return Promise.resolve()
        },
      ],
    },
  })
})
afterAll(() => api.close())

const origin = { origin: 'https://page.example' }

describe('request ID and caching', () => {
  it.each([
    ['GET', '/v1/account', 200],
    ['GET', '/', 200],
    ['GET', '/healthz', 200],
    ['GET', '/openapi.json', 200],
    ['GET', '/v1/nothing', 404],
    ['GET', '/nothing', 404],
    ['PUT', '/v1/phones', 405],
    ['GET', '/v1/phones/%zz', 400],
    ['GET', '/v1/phones/ph_x', 404],
    ['GET', '/operator/v1/broken', 500],
  ])('%s %s answers %i with both headers [2.13, 22.3]', async (method, url, status) => {
    const response = await api.request(method, url)
    expect(response.statusCode).toBe(status)
    expectConventions(response)
    if (status >= 400) errorOf(response, status, response.json<{ error: { code: string } }>().error.code)
  })

  it('accepts no request ID from the client', async () => {
    const response = await api.request('GET', '/v1/account', {
      headers: { 'x-request-id': 'req_aaaaaaaaaaaa' },
    })
    expect(response.headers['x-request-id']).not.toBe('req_aaaaaaaaaaaa')
  })
})

describe('Origin', () => {
  it.each([
    ['GET', '/v1/account'],
    ['GET', '/v1/nothing'],
    ['PUT', '/v1/phones'],
    ['OPTIONS', '/v1/phones'],
    ['GET', '/v1/phones/%zz'],
    ['GET', '/%761/account'],
  ])('refuses %s %s before any other check [18.8]', async (method, url) => {
    const before = api.calls.length
    errorOf(
      await api.request(method, url, { headers: origin, key: null }),
      403,
      'browser_requests_not_allowed',
    )
    expect(api.calls).toHaveLength(before)
  })

  it.each([
    ['/openapi.json', 200],
    ['/healthz', 200],
    ['/', 200],
    ['/nothing', 404],
    ['/v1nothing', 404],
    ['/operator/v1/broken', 500],
  ])('lets %s through', async (url, status) => {
    expect((await api.request('GET', url, { headers: origin })).statusCode).toBe(status)
  })
})

describe('404 and 405', () => {
  it.each([
    ['PUT', '/v1/phones', 'GET, POST'],
    ['HEAD', '/v1/phones', 'GET, POST'],
    ['OPTIONS', '/v1/phones', 'GET, POST'],
    ['DELETE', '/v1/phones?x=1', 'GET, POST'],
    ['POST', '/v1/phones/ph_aaaaaaaaaaaa', 'DELETE, GET, PATCH'],
    ['GET', '/v1/phones/anything/start', 'POST'],
    ['POST', '/v1/account', 'GET'],
    ['POST', '/openapi.json', 'GET'],
    ['PROPFIND', '/v1/account', 'GET'],
  ])('%s %s is 405 with Allow: %s', async (method, url, allow) => {
    const response = await api.request(method, url, { key: null })
    expect(response.statusCode).toBe(405)
    expect(response.headers.allow).toBe(allow)
    if (method !== 'HEAD') errorOf(response, 405, 'method_not_allowed')
  })

  it.each([
    '/v1',
    '/v1/',
    '/v1/phones/',
    '/v1/phone',
    '/v1/account/x',
    '/v1/apps/nothing',
    '//v1/phones',
    '/V1/phones',
  ])('%s is 404 without a key, for any method or body [23.14]', async (url) => {
    for (const method of ['GET', 'POST', 'DELETE', 'PUT'])
      errorOf(
        await api.request(method, url, {
          key: null,
          headers: { 'content-type': 'application/json' },
          payload: '{not json',
        }),
        404,
        'not_found',
      )
  })
})

describe('internal failures', () => {
  it('return internal_error, retryable only for GET, without internal details', async () => {
    api.failures.set('phones.account', new Error('connect ECONNREFUSED 10.0.0.1:5432'))
    const read = await api.request('GET', '/v1/account')
    expect(errorOf(read, 500, 'internal_error').retryable).toBe(true)
    expect(read.body).not.toContain('5432')
    api.failures.set('phones.create', new TypeError('secret'))
    const write = await api.request('POST', '/v1/phones')
    expect(errorOf(write, 500, 'internal_error')).toMatchObject({ retryable: false, details: {}, next: null })
    expect(write.body).not.toContain('secret')
  })
})

describe('requests per key and minute', () => {
  it('refuses a request above the limit, until the next calendar minute', async () => {
    let now = new Date('2026-01-02T03:04:05.000Z')
    const clock = { now: () => now }
    const { request } = await api.beside({ requestsPerKeyPerMinute: 3 }, { clock })
    for (let sent = 0; sent < 3; sent += 1) expect((await request('GET', '/v1/account')).statusCode).toBe(200)
    now = new Date('2026-01-02T03:04:40.500Z')
    const refused = await request('GET', '/v1/account')
    expect(errorOf(refused, 429, 'rate_limited')).toMatchObject({
      retryable: true,
      details: { limit: 3, retry_after_seconds: 20 },
    })
    expect(refused.headers['retry-after']).toBe('20')
    const another = await api.keyOf('agent')
    expect((await request('GET', '/v1/account', { key: another })).statusCode).toBe(200)
    now = new Date('2026-01-02T03:05:00.000Z')
    expect((await request('GET', '/v1/account')).statusCode).toBe(200)
  })
})

describe('X-Forwarded-For', () => {
  it.each([
    ['nobody', [], '127.0.0.1'],
    ['another proxy', ['10.0.0.0/8'], '127.0.0.1'],
    ['the proxy', ['127.0.0.1'], '203.0.113.7'],
  ])('counts only from configured proxies: %s', async (_name, trustedProxies, ip) => {
    const seen = await api.beside(
      { trustedProxies },
      {
        plugins: [
          (app) => {
            app.get('/ip', (request) => ({ ip: request.ip }))
            return Promise.resolve()
          },
        ],
      },
    )
    const response = await seen.request('GET', '/ip', { headers: { 'x-forwarded-for': '203.0.113.7' } })
    expect(response.json()).toEqual({ ip })
  })
})

describe('health', () => {
  const up = { ok: true, required: true }
  const healths: [string, () => Promise<Health>, number, object][] = [
    [
      'everything is available',
      () => Promise.resolve({ postgres: up }),
      200,
      { status: 'ok', checks: { postgres: up } },
    ],
    [
      'a dependency of some requests is unavailable',
      () => Promise.resolve({ postgres: up, nats: { ok: false, required: false } }),
      200,
      { status: 'degraded', checks: { nats: { ok: false } } },
    ],
    [
      'a dependency of all requests is unavailable',
      () => Promise.resolve({ postgres: { ok: false, required: true } }),
      503,
      { status: 'unavailable', checks: { postgres: { ok: false } } },
    ],
    ['the check itself fails', () => Promise.reject(new Error('gone')), 503, { status: 'unavailable' }],
  ]
  it.each(healths)(
    'reports at /readyz and /healthz when %s; the process stays alive',
    async (_what, health, status, body) => {
      const some = await api.beside({}, { health })
      for (const url of ['/readyz', '/healthz']) {
        const response = await some.request('GET', url, { key: null })
        expect(response.statusCode).toBe(status)
        expect(response.json()).toMatchObject(body)
      }
      const alive = await some.request('GET', '/livez', { key: null })
      expect([alive.statusCode, alive.json()]).toEqual([200, { status: 'ok' }])
    },
  )

  it('runs one check at a time for any number of requests', async () => {
    let checks = 0
    let answer = (_isWell: boolean): void => undefined
    const health = (): Promise<Health> => {
      checks += 1
      return new Promise((resolve) => {
        answer = (ok) => resolve({ postgres: { ok, required: true } })
      })
    }
    const busy = await api.beside({}, { health })
    const asked = Array.from({ length: 100 }, () => busy.request('GET', '/healthz'))
    while (checks === 0) await new Promise((resolve) => setTimeout(resolve, 5))
    await new Promise((resolve) => setTimeout(resolve, 50))
    answer(true)
    expect((await Promise.all(asked)).every(({ statusCode }) => statusCode === 200)).toBe(true)
    expect(checks).toBe(1)
    const later = busy.request('GET', '/healthz')
    while (checks === 1) await new Promise((resolve) => setTimeout(resolve, 5))
    answer(false)
    expect((await later).statusCode).toBe(503)
  })

  it('accepts HEAD, which load balancers send', async () => {
    for (const url of ['/livez', '/readyz', '/healthz'])
      expect((await api.request('HEAD', url)).statusCode).toBe(200)
  })
})
