import { afterAll, beforeAll, expect, it } from 'vitest'
import { testApi, type TestApi } from '../testing/api.js'

let api: TestApi
beforeAll(async () => {
  api = await testApi()
})
afterAll(() => api.app.close())

const get = (url: string) => api.request('GET', url, { key: null })

it('serves pages without a key, with all that they load', async () => {
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

it('lets no other page frame it and runs no script from elsewhere', async () => {
  const policy = (await get('/docs')).headers['content-security-policy']
  expect(policy).toContain("script-src 'self'")
  expect(policy).toContain("frame-ancestors 'none'")
})

it('answers a path below it that is not there in the envelope', async () => {
  const missing = await get('/docs/nothing')
  expect([missing.statusCode, missing.json<{ error: { code: string } }>().error.code]).toEqual([
    404,
    'not_found',
  ])
})
