/** Reports of a phone over a real HTTP server. The real service is in `e2e/src/conformance/reports-device.long.test.ts`. */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { Phonerack, type Phone } from './index.js'

let server: Server
let seen: { line: string; body: string }[]
let answers: object[]
let phone: Phone

beforeEach(async () => {
  seen = []
  server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk: Buffer) => (body += chunk.toString()))
    request.on('end', () => {
      seen.push({ line: `${request.method ?? ''} ${request.url ?? ''}`, body })
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answers.shift()))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const client = new Phonerack({ apiKey: 'prk_test', baseUrl: `http://127.0.0.1:${port}` })
  phone = client.phones.handle('ph_aaaaaaaaaaaa')
})
afterEach(() => {
  server.closeAllConnections()
  server.close()
})

const lines = () => seen.map(({ line }) => line)
const at = '/v1/phones/ph_aaaaaaaaaaaa'

it('reads the log page by page', async () => {
  answers = [
    { data: [{ message: 'two' }], next_cursor: 'c' },
    { data: [{ message: 'one' }], next_cursor: null },
  ]
  const since = new Date('2026-01-01T00:00:00.000Z')
  const found = await phone.reports.logs({ package: 'com.a', level: 'warn', since }).toArray()
  expect(found.map(({ message }) => message)).toEqual(['two', 'one'])
  const query = 'package=com.a&level=warn&since=2026-01-01T00%3A00%3A00.000Z'
  expect(lines()).toEqual([`GET ${at}/logs?${query}`, `GET ${at}/logs?${query}&cursor=c`])
})

it('lists crashes and notifications, and acts on one', async () => {
  answers = [
    { data: [{ kind: 'anr' }], next_cursor: null },
    { data: [{ id: 'ntf_a' }] },
    { id: 'ntf_a', opened: true },
    { id: 'ntf_a', dismissed: true },
  ]
  expect(await phone.reports.crashes({ package: 'com.a' }).page({ limit: 1 })).toMatchObject({
    data: [{ kind: 'anr' }],
  })
  expect(await phone.reports.notifications()).toEqual([{ id: 'ntf_a' }])
  await phone.reports.openNotification('ntf_a')
  await phone.reports.dismissNotification('ntf_a')
  expect(lines()).toEqual([
    `GET ${at}/crashes?package=com.a&limit=1`,
    `GET ${at}/notifications`,
    `POST ${at}/notifications/ntf_a/open`,
    `POST ${at}/notifications/ntf_a/dismiss`,
  ])
})

it('sets permissions', async () => {
  const permissions = [{ name: 'android.permission.CAMERA', granted: true }]
  answers = [{ package: 'com.a', permissions }]
  expect(await phone.permissions.set('com.a', { grant: ['android.permission.CAMERA'] })).toEqual(permissions)
  expect(seen).toEqual([
    { line: `POST ${at}/apps/com.a/permissions`, body: '{"grant":["android.permission.CAMERA"]}' },
  ])
})
