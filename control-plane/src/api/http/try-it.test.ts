import { afterAll, beforeAll, expect, it } from 'vitest'
import { errorOf, startApi, type TestApi } from '../../testing/api.js'

let api: TestApi
beforeAll(async () => {
  api = await startApi()
})
afterAll(() => api.close())

const checkout = (headers: Record<string, string>, url = '/docs/try/v1/setup') =>
  api.request('POST', url, { key: null, headers, payload: { client: 'docs' } })

it('sends a request from our pages to the API, with its checks', async () => {
  const own = { origin: 'http://api.test', 'sec-fetch-site': 'same-origin' }
  expect((await checkout(own)).statusCode).toBe(201)
  const account = await api.request('GET', '/docs/try/v1/account', { headers: own })
  expect(account.json()).toMatchObject({ project: expect.any(String) as string })
  errorOf(await api.request('GET', '/docs/try/v1/account', { key: null }), 401, 'invalid_api_key')
  errorOf(await api.request('GET', '/docs/try/v1/nothing'), 404, 'not_found')
})

it('recognises our pages by their origin where the browser does not send Sec-Fetch-Site', async () => {
  expect((await checkout({ origin: 'http://api.test' })).statusCode).toBe(201)
})

it.each([
  { origin: 'http://evil.test', 'sec-fetch-site': 'cross-site' },
  { origin: 'http://other.api.test', 'sec-fetch-site': 'same-site' },
  { origin: 'http://api.test', 'sec-fetch-site': 'cross-site' },
  { origin: 'http://evil.test' },
  { origin: 'null' },
])('refuses a page with %j', async (headers) => {
  errorOf(await checkout(headers), 403, 'browser_requests_not_allowed')
})

it('leaves every other path as it is', async () => {
  const own = { origin: 'http://api.test', 'sec-fetch-site': 'same-origin' }
  errorOf(await checkout(own, '/v1/setup'), 403, 'browser_requests_not_allowed')
  expect((await checkout(own, '/docs/try/operator/v1/projects')).statusCode).toBeGreaterThanOrEqual(404)
  errorOf(await api.request('GET', '/docs/try/healthz', { headers: own }), 404, 'not_found')
})
