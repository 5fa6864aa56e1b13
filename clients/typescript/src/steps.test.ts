/** Steps of a phone over a real HTTP server. The real service is in `e2e/src/steps.long.test.ts`. */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { NotFoundError, Phonerack, type Phone } from './index.js'

const id = 'ph_aaaaaaaaaaaa'
const step = { object: 'step', id: 'stp_aaaaaaaaaaaa' }
let server: Server
let asked: string[]
let phone: Phone

beforeEach(async () => {
  asked = []
  server = createServer(({ url = '' }, response) => {
    asked.push(url)
    const json = (status: number, body: object) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    if (url.includes('/export')) return response.end('<!doctype html>')
    if (url.endsWith('/screenshot')) return response.end(Buffer.from([1, 2]))
    if (/\/stp_aaaaaaaaaaaa(?:\?|$)/.test(url)) return json(200, step)
    if (url.includes('/stp_'))
      return json(404, { error: { type: 'not_found_error', code: 'step_not_found', message: 'No.' } })
    const isLast = url.includes('cursor=')
    return json(200, { data: [step], next_cursor: isLast ? null : 'more' })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  phone = new Phonerack({ apiKey: 'prk_test', baseUrl: `http://127.0.0.1:${port}` }).phones.handle(id)
})
afterEach(() => {
  server.closeAllConnections()
  server.close()
})

it('lists steps over pages, and gets one with its picture', async () => {
  const steps = await phone.steps.list({ session: 'ses_a', observations: 'none' }).toArray()
  expect(steps).toEqual([step, step])
  expect(asked).toEqual([
    `/v1/phones/${id}/steps?session=ses_a&observations=none`,
    `/v1/phones/${id}/steps?session=ses_a&observations=none&cursor=more`,
  ])
  expect(await phone.steps.get('stp_aaaaaaaaaaaa', { observations: 'none' })).toEqual(step)
  expect(asked.at(-1)).toBe(`/v1/phones/${id}/steps/stp_aaaaaaaaaaaa?observations=none`)
  expect([...(await phone.steps.screenshot('stp_aaaaaaaaaaaa'))]).toEqual([1, 2])
  await expect(phone.steps.get('stp_bbbbbbbbbbbb')).rejects.toBeInstanceOf(NotFoundError)
})

it('exports a session as bytes', async () => {
  const bytes = await phone.steps.export('html', { session: 'ses_a' })
  expect(new TextDecoder().decode(bytes)).toBe('<!doctype html>')
  expect(asked).toEqual([`/v1/phones/${id}/steps/export?format=html&session=ses_a`])
})
