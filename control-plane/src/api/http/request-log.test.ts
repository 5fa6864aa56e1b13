// Every line of a request's work names the request once, as `request_id`.
import { ApiError, createLogger } from '@phonerack/shared'
import { afterAll, beforeEach, expect, it } from 'vitest'
import { addFoundations, createFastify } from '../server/server.js'

let lines: string[] = []
const log = createLogger('request-log-test', { write: (line: string) => void lines.push(line) })
log.level = 'debug'

const app = createFastify({}, log)
addFoundations(app)
app.get('/works', async (request) => {
  request.log.info('from the request')
  await new Promise((resolve) => setImmediate(resolve))
  log.info('from the process')
  request.log.child({ part: 'a' }).info('from a child')
  return {}
})
app.get('/refuses', () => {
  throw new ApiError('phone_not_found')
})
app.get('/breaks', () => {
  throw new Error('broken')
})
await app.ready()
afterAll(() => app.close())
beforeEach(() => {
  lines = []
})

it.each([
  ['/works', undefined],
  ['/refuses', 'phone_not_found'],
  ['/breaks', 'internal_error'],
  ['/without/a/route', 'not_found'],
])('says with which code %s was refused', async (url, code) => {
  await app.inject({ url })
  expect((JSON.parse(lines.at(-1) ?? '') as { code?: string }).code).toBe(code)
})

it.each([
  ['/works', ['from the request', 'from the process', 'from a child', 'answered']],
  ['/refuses', ['answered']],
  ['/breaks', ['request failed', 'answered']],
  ['/without/a/route', ['answered']],
])('names the request of %s once on each line', async (url, expected) => {
  const response = await app.inject({ url })
  const id = String(response.headers['x-request-id'])
  expect(id).toMatch(/^req_/)
  expect(lines.map((line) => (JSON.parse(line) as { msg: string }).msg)).toEqual(expected)
  for (const line of lines) {
    // The text, since a parser hides a repeated name.
    expect(line.split(id).length - 1, line).toBe(1)
    expect(line).toContain(`"request_id":"${id}"`)
  }
})
