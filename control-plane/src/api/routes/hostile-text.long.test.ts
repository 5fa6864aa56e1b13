// Text that Postgres cannot store, sent to every endpoint in every place that accepts text: with
// real Postgres and broker.
import { createLogger } from '@phonerack/shared'
import { type InjectOptions } from 'fastify'
import { beforeAll, expect, it } from 'vitest'
import { errorSchema } from './schemas.js'
import { expectConventions } from '../../testing/api.js'
import { endpoints, requestOf, type Endpoint } from '../../testing/endpoints.js'
import { eventually, useWorld, type Plane, type Tenant } from '../../testing/world.js'

interface Operation {
  parameters?: { in: string; name: string; schema?: { type?: string } }[]
}

const world = useWorld()
let plane: Plane
let tenant: Tenant
let readOnly: Tenant
let paths: Record<string, Record<string, Operation>>
const loud: unknown[] = []
const ready = 'ph_readyaaaaaaa'.slice(0, 15)

beforeAll(async () => {
  const log = createLogger('test', {
    write: (line) => {
      const parsed = JSON.parse(line) as { level: number }
      if (parsed.level >= 50) loud.push(parsed)
    },
  })
  // Without jobs, so that the phone does not change.
  plane = await world.start({
    log,
    env: { PHONERACK_JOBS: 'off', PHONERACK_LIFECYCLE_PER_MINUTE: '1000000' },
  })
  tenant = await plane.tenant()
  readOnly = await plane.tenant({ preset: 'read-only' })
  await plane.app.core.db.phone.create({
    data: {
      id: ready,
      projectId: tenant.projectId,
      keyId: 'k',
      name: 'ready',
      status: 'ready',
      createdAt: new Date(),
    },
  })
  ;({ paths } = (await plane.server.inject({ url: '/openapi.json' })).json<{ paths: typeof paths }>())
})

/** The hostile texts in URL encoding. */
const encoded = {
  nul: 'a%00b',
  'nul alone': '%00',
  'half of a pair, as UTF-8 cannot have it': 'a%ED%A0%80b',
  'bytes that are not UTF-8': '%ff%fe',
  'a line break': 'a%0d%0aX-Injected:%20yes',
  'text that runs backwards': '%E2%80%AEa',
  'two code units a character': '%F0%9F%91%8B'.repeat(60),
  'very long': 'a'.repeat(9000),
}
/** The hostile texts in JSON. */
const texts = {
  nul: 'a\0b',
  'half of a pair': 'a\ud800b',
  'the other half': '\udc00',
  'a line break': 'a\r\nX-Injected: yes',
  'two code units a character': `${'a'.repeat(199)}👋👋`,
  'very long': 'a'.repeat(60_000),
}

async function expectOurs(request: InjectOptions, key: string, what: string): Promise<void> {
  const response = await plane.server.inject({
    ...request,
    headers: { authorization: `Bearer ${key}`, ...request.headers },
  })
  // The phone has no device, and there is no payment provider.
  const mayBe = response.statusCode < 500 || response.statusCode === 503
  expect(mayBe, `${what}: ${response.statusCode} ${response.body.slice(0, 300)}`).toBe(true)
  expect(response.headers['x-injected'], what).toBeUndefined()
  expectConventions(response)
  if (response.statusCode >= 400) errorSchema.strict().parse(response.json())
}

/** Nothing was logged as our fault, and the next request is still recorded. */
async function expectHealthy(): Promise<void> {
  expect(loud).toEqual([])
  const last = await plane.server.inject({
    method: 'PATCH',
    url: `/v1/phones/${ready}`,
    headers: { authorization: `Bearer ${tenant.key}` },
  })
  const { db, counters } = plane.app.core
  await eventually(
    async () =>
      (await db.activity.count({ where: { requestId: String(last.headers['x-request-id']) } })) === 1,
  )
  expect(counters.read('activity_rows_refused') + counters.read('activity_rows_dropped')).toBe(0)
}

const nameOf = ({ method, path }: Endpoint): string => `${method} ${path}`
/** Endpoints that would change the phone that the requests to other endpoints name. */
const moving = ['DELETE /v1/phones/{id}', 'POST /v1/phones/{id}/start', 'POST /v1/phones/{id}/park']
const named = (each: Endpoint): string => (moving.includes(nameOf(each)) ? 'ph_aaaaaaaaaaaa' : ready)
const urlOf = (each: Endpoint): string => requestOf(each, named(each)).url

it('in a parameter of the path', async () => {
  let sent = 0
  for (const endpoint of endpoints)
    for (const [parameter] of endpoint.path.matchAll(/{\w+}/g))
      for (const [what, text] of Object.entries(encoded)) {
        const path = endpoint.path.replace(parameter, text)
        await expectOurs(requestOf({ ...endpoint, path }, ready), tenant.key, `${nameOf(endpoint)} ${what}`)
        sent += 1
      }
  expect(sent).toBeGreaterThan(300)
  await expectHealthy()
})

it('in a query parameter, known or not, with permitted and other keys', async () => {
  const forms = [
    { key: tenant.key, before: '' },
    { key: readOnly.key, before: '/sdcard/' },
    { key: readOnly.key, before: '' },
    { key: tenant.key, before: '/sdcard/' },
  ]
  const covered = new Set<string>()
  for (const [at, endpoint] of endpoints.entries()) {
    const known = (paths[endpoint.path]?.[endpoint.method.toLowerCase()]?.parameters ?? [])
      .filter((each) => each.in === 'query' && each.name !== 'wait')
      .map(({ name, schema }) => (schema?.type === 'object' ? `${name}[a]` : name))
    for (const [nth, name] of [...new Set([...known, 'path', 'unknown', '%00'])].entries())
      for (const [turn, [what, text]] of Object.entries(encoded).entries()) {
        // Unknown names share one path through the code, so one text each is enough. A known one
        // gets every text.
        if (!known.includes(name) && name !== 'path' && (at + turn) % 4 !== 0) continue
        const form = forms[(at + nth + turn) % forms.length]
        if (!form) throw new Error('no form')
        const url = `${urlOf(endpoint).split('?')[0]}?${name}=${form.before}${text}`
        await expectOurs(
          { ...requestOf(endpoint, ready), url },
          form.key,
          `${nameOf(endpoint)} ${name} ${what}`,
        )
        covered.add(`${name} ${what} ${form.before} ${form.key}`)
      }
  }
  // The relevant pairs are covered: the texts in `path`, in both forms, with both keys.
  const inPath = [...covered].filter((each) => each.startsWith('path '))
  expect(inPath).toHaveLength(Object.keys(encoded).length * forms.length)
  await expectHealthy()
})

/**
 * The body with `text` in place of each of its strings in turn, as an additional field, and as a
 * field's name.
 */
function* bodiesWith(body: unknown, text: string): Generator {
  if (typeof body === 'string') yield text
  else if (Array.isArray(body))
    for (const [index, each] of body.entries())
      for (const changed of bodiesWith(each, text)) yield body.with(index, changed)
  else if (typeof body === 'object' && body !== null) {
    for (const [name, each] of Object.entries(body))
      for (const changed of bodiesWith(each, text)) yield { ...body, [name]: changed }
    yield { ...body, [text]: text }
    for (const name of ['name', 'text', 'message', 'package', 'country', 'client', 'storage_id', 'wait'])
      yield { ...body, [name]: text }
    yield { ...body, metadata: { [text]: text } }
    yield { ...body, metadata: { a: text } }
    yield { ...body, actions: [{ type: text }] }
  }
}

it('in a body', async () => {
  let sent = 0
  for (const endpoint of endpoints.filter(({ method }) => method !== 'GET'))
    for (const [what, text] of Object.entries(texts))
      for (const body of bodiesWith(endpoint.body ?? {}, text)) {
        const headers = { 'content-type': 'application/json' }
        const request = { ...requestOf(endpoint, named(endpoint)), headers, payload: JSON.stringify(body) }
        await expectOurs(request, tenant.key, `${nameOf(endpoint)} ${what} ${request.payload.slice(0, 200)}`)
        sent += 1
      }
  expect(sent).toBeGreaterThan(1000)
  await expectHealthy()
})

it('in a header', async () => {
  const values = ['\u00ff\u00fe', 'a'.repeat(8000), '"\\', ' \t ']
  const names = [
    'user-agent',
    'idempotency-key',
    'x-forwarded-for',
    'x-request-id',
    'range',
    'if-range',
    'accept',
    'content-type',
    'host',
  ]
  for (const [at, endpoint] of endpoints.entries())
    for (const [nth, name] of names.entries())
      for (const [turn, value] of values.entries()) {
        // Headers are read before the route: half of the values at each endpoint, and all of them
        // over two endpoints.
        if ((at + nth + turn) % 2 !== 0) continue
        const request = requestOf(endpoint, named(endpoint))
        const headers = { ...request.headers, [name]: value }
        await expectOurs({ ...request, headers }, tenant.key, `${nameOf(endpoint)} ${name}`)
      }
  for (const value of values)
    await expectOurs({ method: 'GET', url: '/v1/phones', headers: { authorization: value } }, '', value)
  await expectHealthy()
})
