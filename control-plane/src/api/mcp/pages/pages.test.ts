import { afterAll, beforeAll, expect, it } from 'vitest'
import { startApi, type TestApi } from '../../../testing/api.js'
import { pages } from './plugin.js'

let api: TestApi
beforeAll(async () => {
  api = await startApi()
})
afterAll(() => api.close())

it.each(Object.keys(pages))('serves %s without a key, with links to this service [40.39]', async (url) => {
  const response = await api.request('GET', url, { key: null })
  expect(response.statusCode).toBe(200)
  expect(response.headers['content-type']).toMatch(/^text\/(markdown|plain); charset=utf-8$/)
  expect(response.body).toContain('http://api.test/')
  expect(response.body).not.toContain('undefined')
  for (const [, path = ''] of response.body.matchAll(/http:\/\/api\.test(\/[\w./-]*\w)/g)) {
    // The prefix of the API's routes.
    if (path === '/v1') continue
    const linked = await api.request('GET', path, { key: null })
    // Each link leads to a page or a route; `/v1` is the prefix of routes.
    if (path !== '/v1') expect(linked.statusCode, path).not.toBe(404)
  }
})

it('shows how to connect clients that send requests, and those that start a program', async () => {
  const { body } = await api.request('GET', '/llms-install.md', { key: null })
  const blocks = [...body.matchAll(/^```json\n(.*?)^```$/gms)].map(
    ([, text = '']) => JSON.parse(text) as { mcpServers?: { phonerack: object } },
  )
  const servers = blocks.flatMap(({ mcpServers }) => (mcpServers ? [mcpServers.phonerack] : []))
  expect(servers[0]).toMatchObject({ type: 'http', url: 'http://api.test/mcp' })
  expect(servers.at(-1)).toEqual({ command: 'phonerack', args: ['mcp'] })
  expect(body).toContain('phonerack login --base-url http://api.test\n')
})
