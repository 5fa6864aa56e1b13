/** The terminal setup, free requests, pages and errors over a real HTTP server. */
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { Phonerack, PhonerackError, Setup } from './index.js'

let server: Server
let answers: [status: number, body: unknown][]
let seen: IncomingMessage[]
let baseUrl: string

beforeEach(async () => {
  ;[answers, seen] = [[], []]
  server = createServer((request, response) => {
    seen.push(request)
    request.resume()
    const [status, body] = answers.shift() ?? [200, {}]
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterEach(() => void server.close())

const started = {
  setup_token: 'prs_x',
  user_code: 'ZL7T-62DS',
  verification_url: 'https://phones.example/setup',
  expires_in: 900,
  interval: 0,
}
const denied = {
  type: 'permission_error',
  code: 'setup_denied',
  message: 'The person declined.',
  retryable: false,
  next: 'Start a new setup.',
  request_id: 'req_aaaaaaaaaaaa',
  details: {},
}

it('collects the key after the person has confirmed, and sends no key', async () => {
  const approved = { status: 'approved', api_key: 'prk_new', project: 'demo' }
  answers.push([201, started], [200, { status: 'pending' }], [200, approved])
  const setup = await Setup.start({ baseUrl, client: 'laptop' })
  expect([setup.userCode, setup.url]).toEqual(['ZL7T-62DS', 'https://phones.example/setup'])
  expect(await setup.key()).toEqual({ apiKey: 'prk_new', project: 'demo' })
  expect(seen.map(({ url, headers }) => [url, headers.authorization])).toEqual([
    ['/v1/setup', undefined],
    ['/v1/setup/token', undefined],
    ['/v1/setup/token', undefined],
  ])
})

it('waits between two polls when the times of the answer are missing or too large', async () => {
  for (const times of [
    { interval: undefined, expires_in: null },
    { interval: 1e300, expires_in: 1e300 },
  ]) {
    seen = []
    answers.push([201, { ...started, ...times }], [200, { status: 'pending' }])
    const setup = await Setup.start({ baseUrl })
    await expect(setup.key({ timeout: 1000 })).rejects.toMatchObject({ code: 'timeout' })
    expect(seen.length).toBeLessThan(3)
  }
})

it('throws when the person declines, with the fields of the envelope', async () => {
  answers.push([201, started], [403, { error: denied }])
  const setup = await Setup.start({ baseUrl })
  const error = await setup.key().catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(PhonerackError)
  expect(JSON.parse(JSON.stringify(error))).toEqual(denied)
})

it('refuses to start at an address that is not encrypted', async () => {
  await expect(Setup.start({ baseUrl: 'http://phones.example' })).rejects.toThrow(/not encrypted/)
})

it('sends headers and bytes of a free request, and returns an answer that is not JSON', async () => {
  const client = new Phonerack({ apiKey: 'prk_test', baseUrl, headers: { 'User-Agent': 'mine/1' } })
  const body = new TextEncoder().encode('bytes')
  const response = await client.send('PUT', '/v1/x', { body, headers: { 'X-One': '1' } })
  expect(await response.text()).toBe('{}')
  const { headers } = seen[0] as IncomingMessage
  expect(headers).toMatchObject({ 'user-agent': 'mine/1', 'x-one': '1', authorization: 'Bearer prk_test' })
  expect(headers['content-type']).toBe('application/octet-stream')
})

it('reads one page of a list', async () => {
  const client = new Phonerack({ apiKey: 'prk_test', baseUrl })
  answers.push([200, { data: [{ id: 'upl_aaaaaaaaaaaa' }], next_cursor: 'more' }])
  const page = await client.apps.uploads().page({ cursor: 'here', limit: 1 })
  expect(page).toEqual({ data: [{ id: 'upl_aaaaaaaaaaaa' }], next_cursor: 'more' })
  expect(seen[0]?.url).toBe('/v1/apps/uploads?cursor=here&limit=1')
})
