/** Failures of the HTTP side: each request gets one error, and other requests continue. */
import type { ServerResponse } from 'node:http'
import { createInterface } from 'node:readline'
import { PassThrough } from 'node:stream'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { startMcpService, type McpService } from '../testing/mcp-service.js'
import { apiKey, refusal } from '../testing/service.js'
import { serveOverStdio } from './bridge.js'

interface Answer {
  id: unknown
  error?: { code: number; message: string; data?: { error: Record<string, unknown> } }
}

let service: McpService
let stdin: PassThrough
let answers: AsyncIterator<string, undefined>
let served: Promise<void>
let reports: string[]

function serve(limitMs: number): void {
  stdin = new PassThrough()
  const stdout = new PassThrough()
  answers = createInterface({ input: stdout })[Symbol.asyncIterator]()
  reports = []
  served = serveOverStdio({
    endpoint: new URL('/mcp', service.baseUrl),
    headers: { authorization: `Bearer ${apiKey}` },
    stdin,
    stdout,
    signal: new AbortController().signal,
    limitMs,
    report: ({ message }) => reports.push(message),
  })
}
beforeEach(async () => {
  service = await startMcpService()
  serve(30_000)
})
afterEach(async () => {
  stdin.end()
  await served
  await service.close()
})

async function ask(method: string, params: object = {}): Promise<Answer> {
  stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 7, method, params })}\n`)
  const next: IteratorResult<string, undefined> = await answers.next()
  return JSON.parse(next.value ?? 'null') as Answer
}
const call = (): Promise<Answer> => ask('tools/call', { name: 'echo' })

const send = (status: number, body: string, type = 'application/json') => {
  service.instead = (_request, response) => response.writeHead(status, { 'content-type': type }).end(body)
}

it.each([
  [401, 'authentication_error', 'invalid_api_key', 'Run `phonerack login` to get a new key.'],
  [429, 'rate_limit_error', 'rate_limited', 'Wait 20 seconds.'],
  [403, 'permission_error', 'browser_requests_not_allowed', 'Ask the operator.'],
])('answers %i with the envelope of %s, its message and `next`', async (status, type, code, next) => {
  const advice = status === 401 ? null : next
  send(status, JSON.stringify(refusal(status, type, code, { next: advice, retryable: status === 429 }).body))
  expect(await call()).toEqual({
    jsonrpc: '2.0',
    id: 7,
    error: {
      code: -32_603,
      message: `It is ${code}. ${next}`,
      data: {
        error: {
          type,
          code,
          message: `It is ${code}.`,
          next,
          retryable: status === 429,
          request_id: 'req_aaaaaaaaaaaa',
          details: {},
        },
      },
    },
  })
})

it('passes an error of JSON-RPC that has a status of failure', async () => {
  const error = { code: -32_602, message: 'no', data: { a: 1 } }
  send(400, JSON.stringify({ jsonrpc: '2.0', id: null, error }))
  expect(await ask('tools/list')).toEqual({ jsonrpc: '2.0', id: 7, error })
})

it.each([
  [404, 'text/html', '<p>Not here</p>', /answered with status 404 and without an error of Phonerack/],
  [200, 'text/html', '<p>Sign in</p>', /Unexpected content type/],
  [200, 'application/json', '{"hello":', /The connection broke: /],
  [202, 'application/json', '', /answered with status 202 and without a result/],
])('answers an unexpected %i of %s with an error', async (status, type, body, message) => {
  send(status, body, type)
  expect((await ask('tools/list')).error?.message).toMatch(message)
})

it.each<[string, (response: ServerResponse) => void]>([
  ['a connection that breaks', (response) => response.destroy()],
  ['a proxy that gives up', (response) => response.writeHead(504).end('<p>Time-out</p>')],
  ['an answer without a result', (response) => response.writeHead(202).end()],
  ['a stream that ends early', (response) => response.writeHead(200, events).end(': hello\n\n')],
  [
    'a stream that breaks',
    (response) => void response.writeHead(200, events).write(': hello\n\n', () => response.destroy()),
  ],
])('warns after %s that a tool may have run', async (_name, act) => {
  service.instead = (_request, response) => act(response)
  const { error } = await call()
  expect(error?.message).toContain(
    'The tool may have run: read the state with list_phones, get_phone or observe',
  )
  expect(error?.data?.error).toMatchObject({ retryable: false })
  expect((await ask('tools/list')).error?.message).toContain('Send the request again.')
})
const events = { 'content-type': 'text/event-stream' }

it('gives up a request without an answer, and closes it', async () => {
  stdin.end()
  await served
  // A slow machine connects within this time.
  serve(1000)
  let isClosed = false
  service.instead = (_request, response) => response.on('close', () => (isClosed = true))
  expect((await ask('tools/call', { name: 'slow' })).error).toMatchObject({
    message: expect.stringContaining('did not answer within 1 s. The tool may have run') as string,
    data: { error: { code: 'timeout' } },
  })
  await expect.poll(() => isClosed, { timeout: 5000 }).toBe(true)
})

it('follows no redirect to another origin', async () => {
  const other = await startMcpService()
  service.instead = (_request, response) =>
    response.writeHead(307, { location: `${other.baseUrl}/mcp` }).end()
  expect((await call()).error?.message).toContain('answered with status 307')
  expect(other.seen).toEqual([])
  await other.close()
})

it('answers nothing to a cancelled request, and forwards no other notification', async () => {
  const write = (message: object) => stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  write({ method: 'notifications/initialized' })
  write({ id: 'a', method: 'tools/call', params: { name: 'slow' } })
  await expect.poll(() => service.slow.running).toBe(1)
  write({ method: 'notifications/cancelled', params: { requestId: 'unknown' } })
  write({ method: 'notifications/cancelled', params: { requestId: 'a' } })
  await expect.poll(() => service.slow.aborted).toBe(1)
  expect((await call()).id).toBe(7)
  expect(service.seen).toHaveLength(2)
  expect(reports).toEqual([])
})
