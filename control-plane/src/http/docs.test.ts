import { afterAll, beforeAll, expect, it } from 'vitest'
import { errorOf, expectConventions, startApi, type TestApi } from '../testing/api.js'

let api: TestApi
beforeAll(async () => {
  api = await startApi()
})
afterAll(() => api.close())

const get = (url: string) => api.request('GET', url, { key: null })

it('serves pages without a key, with all their resources', async () => {
  const page = await get('/docs')
  expect([page.statusCode, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
  expect(page.body).toContain('<title>Phonerack API</title>')
  const loaded = [...page.body.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, url]) => url ?? '')
  expect(loaded.length).toBeGreaterThan(4)
  for (const url of loaded) {
    const at = new URL(url, 'http://api.test/docs')
    expect([url, at.origin, (await get(at.pathname)).statusCode]).toEqual([url, 'http://api.test', 200])
  }
  const description = (await get('/docs/json')).json<{ info: object }>()
  expect(description).toEqual((await get('/openapi.json')).json())
})

it('allows no framing and no external scripts', async () => {
  const policy = (await get('/docs')).headers['content-security-policy']
  expect(policy).toContain("script-src 'self'")
  expect(policy).toContain("frame-ancestors 'none'")
})

it.each(['/docs/nothing', '/docs/static/nothing.js', '/docs/static/', '/docs/static/..%2f..%2fpackage.json'])(
  'answers %s, which does not exist, with the error envelope',
  async (url) => {
    errorOf(await get(url), 404, 'not_found')
  },
)

it.each(['/docs/static/a%00b', '/docs/static/%ff'])('refuses %s with the error envelope', async (url) => {
  const refused = await get(url)
  expect([400, 404]).toContain(refused.statusCode)
  errorOf(refused, refused.statusCode, refused.statusCode === 400 ? 'validation_failed' : 'not_found')
})

it('forbids caching of pages and files', async () => {
  const urls = ['/docs', '/docs/json', '/docs/static/swagger-ui.css', '/docs/static/swagger-initializer.js']
  for (const url of urls) {
    const answer = await get(url)
    expect([url, answer.statusCode]).toEqual([url, 200])
    expectConventions(answer)
    // The request of a browser that has it cached.
    const headers = {
      'if-none-match': String(answer.headers.etag),
      'if-modified-since': new Date().toUTCString(),
    }
    expectConventions(await api.request('GET', url, { key: null, headers }))
  }
})
