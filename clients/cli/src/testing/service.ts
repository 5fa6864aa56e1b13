/** A small HTTP server that answers like the API, for the tests of commands. The real service is tested in `e2e`. */
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Seen {
  method: string
  /** The path with the query. */
  url: string
  headers: IncomingMessage['headers']
  body: string
}

export interface Answer {
  status?: number
  body: unknown
  headers?: Record<string, string>
}

export interface Service {
  baseUrl: string
  seen: Seen[]
  /** Answers that replace the server's answers, by `METHOD /path` without the query. */
  answers: Map<string, (seen: Seen) => Answer>
  phones: ReturnType<typeof phoneFields>[]
  close: () => Promise<void>
}

export const apiKey = 'prk_test'

export const phoneFields = (id: string, name = id, status = 'ready') => ({
  id,
  object: 'phone',
  name,
  status,
  country: null,
  metadata: {} as Record<string, string>,
  failure: null,
  created_at: '2026-11-21T12:00:00.000Z',
  last_active_at: '2026-11-21T12:49:26.245Z',
  session:
    status === 'ready'
      ? {
          id: 'ses_aaaaaaaaaaaa',
          started_at: '2026-11-21T12:49:18.368Z',
          ready_at: null,
          idle_timeout: 300,
          max_duration: 900,
          parks_at: '2026-11-21T12:54:26.245Z',
          park_reason: 'idle',
          reserved_usd: '0.900000',
        }
      : null,
})

export const observation = {
  snapshot_id: 'snp_aaaaaaaaaaaa',
  taken_at: '2026-11-21T12:49:31.020Z',
  truncated: false,

  app: { package: 'com.example.shop', activity: null },
  keyboard: { visible: false, focused_editable: false },
  screen: { width: 1080, height: 2400 },
  elements: [],
  text: 'app com.example.shop\nkeyboard hidden\nscreen 1080x2400\n[1] Button "Next\u001b[31m" #next clickable (540,1200)',
}

export const account = {
  project: 'demo',
  balance_usd: '12.500000',
  reserved_usd: '0.900000',
  spend_limit_usd: '100.000000',
  spent_this_month_usd: '3.210000',
  limits: { phones: 10, running: 3 },
  running: 1,
  phones: 2,

  price: { per_minute_usd: '0.060000', minimum_seconds: 60 },
  countries: [{ code: 'DE', name: 'Germany' }],
}

export const refusal = (status: number, type: string, code: string, fields: object = {}): Answer => ({
  status,
  body: {
    error: {
      type,
      code,
      message: `It is ${code}.`,
      retryable: false,
      next: null,
      request_id: 'req_aaaaaaaaaaaa',
      details: {},
      ...fields,
    },
  },
})

export async function startService(): Promise<Service> {
  const service: Omit<Service, 'baseUrl' | 'close'> = { seen: [], answers: new Map(), phones: [] }
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { method = '', url = '', headers } = request
      const seen = { method, url, headers, body: Buffer.concat(chunks).toString('utf8') }
      service.seen.push(seen)
      const answer = answerOf(service, seen)
      const isBytes = Buffer.isBuffer(answer.body)
      const type = isBytes ? 'application/octet-stream' : 'application/json'
      response.writeHead(answer.status ?? 200, { 'content-type': type, ...answer.headers })
      response.end(isBytes ? (answer.body as Buffer) : JSON.stringify(answer.body))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    ...service,
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => closed(server),
  }
}

function closed(server: Server): Promise<void> {
  server.closeAllConnections()
  return new Promise((resolve) => void server.close(() => resolve()))
}

function answerOf({ answers, phones }: Pick<Service, 'answers' | 'phones'>, seen: Seen): Answer {
  const path = seen.url.split('?')[0] ?? ''
  const special = answers.get(`${seen.method} ${path}`)
  if (special) return special(seen)
  if (path === '/openapi.json') return { body: { info: { version: '1.0.0' }, paths: { '/v1/phones': {} } } }
  if (seen.headers.authorization !== `Bearer ${apiKey}`)
    return refusal(401, 'authentication_error', 'invalid_api_key')
  if (path === '/v1/account') return { body: account }
  if (path === '/v1/phones' && seen.method === 'GET') return { body: { data: phones, next_cursor: null } }
  if (path === '/v1/phones' && seen.method === 'POST') {
    const { name } = JSON.parse(seen.body) as { name?: string }
    const id = `ph_${'a'.repeat(10)}${String.fromCharCode(97 + phones.length).repeat(2)}`
    phones.push(phoneFields(id, name))
    return { status: 201, body: phones.at(-1) }
  }
  const [, id = '', rest = ''] = /^\/v1\/phones\/([^/]+)(.*)$/.exec(path) ?? []
  const phone = phones.find((each) => each.id === id)
  if (id !== '' && !phone)
    return refusal(404, 'not_found_error', 'phone_not_found', { details: { phone: id } })
  if (phone && rest === '' && seen.method === 'DELETE') return { body: { ...phone, status: 'deleted' } }
  if (phone && rest === '') return { body: phone }
  if (rest === '/park') return { body: { ...phone, status: 'parked', session: null } }
  if (rest === '/observe') return { body: observation }
  if (rest === '/actions')
    return { body: ran(JSON.parse(seen.body) as { actions: { type: string }[]; observe?: string }) }
  return refusal(404, 'not_found_error', 'not_found')
}

/** Answers that all actions succeeded. */
function ran({ actions, observe = 'ui' }: { actions: { type: string }[]; observe?: string }) {
  const results = actions.map(({ type }, index) => ({ index, type, ok: true, ms: 5 }))
  return { results, completed: results.length, ...(observe === 'none' ? {} : { observation }) }
}
