// The rules of every request, at every endpoint, with real Postgres and broker.
import { type InjectOptions } from 'fastify'
import { beforeAll, describe, expect, it } from 'vitest'
import { errorOf, expectConventions } from '../../testing/api.js'
import { endpoints, namesPhone, requestOf, type Endpoint } from '../../testing/endpoints.js'
import { useWorld, type Plane, type Tenant } from '../../testing/world.js'
import { phoneStatuses, type PhoneStatus } from '../../base/core/statuses.js'

interface Operation {
  parameters?: { in: string; name: string; schema?: { type?: string } }[]
  requestBody?: { content: Record<string, unknown> }
}

const world = useWorld()
let plane: Plane
let tenant: Tenant
let paths: Record<string, Record<string, Operation>>
let built: Endpoint[]
const phone = (status: PhoneStatus): string =>
  `ph_${status
    .padEnd(12, 'a')
    .replaceAll(/[^a-z2-7]/g, 'a')
    .slice(0, 12)}`
const nobody = 'ph_aaaaaaaaaaaa'
const operationOf = ({ method, path }: Endpoint): Operation | undefined => paths[path]?.[method.toLowerCase()]

beforeAll(async () => {
  // Without jobs, so that no phone changes its status.
  plane = await world.start({ env: { PHONERACK_JOBS: 'off' } })
  tenant = await plane.tenant()
  await plane.app.core.db.phone.createMany({
    data: phoneStatuses.map((status) => ({
      id: phone(status),
      projectId: tenant.projectId,
      keyId: 'k',
      name: status,
      status,
      createdAt: new Date(),
    })),
  })
  ;({ paths } = (await plane.server.inject({ url: '/openapi.json' })).json<{ paths: typeof paths }>())
  built = endpoints.filter((endpoint) => operationOf(endpoint))
  expect(built.length).toBeGreaterThanOrEqual(40)
})

const ask = (request: InjectOptions, key: string | null = tenant.key) =>
  plane.server.inject({
    ...request,
    headers: { ...request.headers, ...(key === null ? {} : { authorization: `Bearer ${key}` }) },
  })
const nameOf = ({ method, path }: Endpoint) => `${method} ${path}`
const issuesOf = (response: Parameters<typeof errorOf>[0]) =>
  errorOf(response, 400, 'validation_failed').details.issues?.map(({ path }) => path)
const withJson = () =>
  built.filter((each) => operationOf(each)?.requestBody?.content['application/json'] !== undefined)
const json = { 'content-type': 'application/json' }

describe('every request', () => {
  it('with a body of JSON is refused for a field that its endpoint does not define [2.2, 12.4]', async () => {
    expect(withJson().length).toBeGreaterThan(14)
    for (const endpoint of withJson()) {
      const request = requestOf(endpoint, nobody)
      const payload = JSON.stringify({ ...endpoint.body, colour: 'red' })
      expect(issuesOf(await ask({ ...request, headers: json, payload })), nameOf(endpoint)).toContainEqual([
        'colour',
      ])
    }
  })

  it('with a body that is not JSON, not an object, or of another type is refused [2.1]', async () => {
    for (const endpoint of withJson()) {
      const request = requestOf(endpoint, nobody)
      for (const [headers, payload] of [
        [json, '{"a":'],
        [json, '[]'],
        [{ 'content-type': 'text/plain' }, '{}'],
        [{}, '{}'],
      ] as const)
        errorOf(await ask({ ...request, headers, payload }), 400, 'validation_failed')
    }
  })

  it('is refused with a query parameter of its endpoint given twice [2.3]', async () => {
    let parameters = 0
    for (const endpoint of built) {
      const request = requestOf(endpoint, nobody)
      for (const each of operationOf(endpoint)?.parameters ?? []) {
        if (each.in !== 'query' || each.schema?.type === 'object') continue
        parameters += 1
        const value = each.name === 'path' ? '/sdcard/a' : '1'
        const url = `${request.url.split('?')[0]}?${each.name}=${value}&${each.name}=${value}`
        expect(issuesOf(await ask({ ...request, url })), `${nameOf(endpoint)} ${each.name}`).toContainEqual([
          each.name,
        ])
      }
    }
    expect(parameters).toBeGreaterThan(15)
  })

  it('with an Idempotency-Key must have a valid one when it is a POST [17.1]', async () => {
    const posts = built.filter(({ method }) => method === 'POST')
    expect(posts.length).toBeGreaterThan(8)
    for (const endpoint of posts)
      for (const key of ['short', '-'.repeat(8), 'a'.repeat(129)]) {
        const request = requestOf(endpoint, nobody)
        const headers = { ...request.headers, 'idempotency-key': key }
        expect(issuesOf(await ask({ ...request, headers })), nameOf(endpoint)).toEqual([['idempotency-key']])
      }
  })

  it('with an Origin header is refused, with a key and without [23.12]', async () => {
    for (const endpoint of built)
      for (const key of [tenant.key, null]) {
        const request = requestOf(endpoint, nobody)
        const headers = { ...request.headers, origin: plane.config.http.baseUrl }
        errorOf(await ask({ ...request, headers }, key), 403, 'browser_requests_not_allowed')
      }
  })

  it('with a method that its path does not have is 405 with the existing methods [2.27, 22.15, 23.19]', async () => {
    for (const path of new Set(built.map((endpoint) => endpoint.path))) {
      // A package could have the name `installs` and a step the ID `export`, so these paths also have the methods of packages and steps.
      const matches = (each: Endpoint) =>
        new RegExp(`^${each.path.replaceAll(/{\w+}/g, '[^/]+')}$`).test(path)
      const own = built.filter(matches).map(({ method }) => method as string)
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const) {
        if (own.includes(method)) continue
        const { url } = requestOf({ method, path, scope: null }, nobody)
        const response = await ask({ method, url })
        errorOf(response, 405, 'method_not_allowed')
        expect(String(response.headers.allow).split(', ').sort(), path).toEqual([...new Set(own)].sort())
      }
    }
  })
})

describe('a phone', () => {
  /** Endpoints that accept any status, or have special rules. */
  const calm = [
    'GET /v1/phones/{id}',
    'GET /v1/phones/{id}/steps',
    'GET /v1/phones/{id}/steps/export',
    'GET /v1/phones/{id}/steps/{sid}',
    'GET /v1/phones/{id}/steps/{sid}/screenshot',
    'PATCH /v1/phones/{id}',
    'DELETE /v1/phones/{id}',
    'POST /v1/phones/{id}/start',
    'POST /v1/phones/{id}/park',
    'POST /v1/phones/{id}/heartbeat',
    'GET /v1/phones/{id}/sessions',
    'GET /v1/phones/{id}/apps/installs',
    'GET /v1/phones/{id}/recordings',
    'GET /v1/phones/{id}/recordings/{rid}/video',
    'DELETE /v1/phones/{id}/recordings/{rid}',
    'GET /v1/phones/{id}/handoffs/{hid}',
    'DELETE /v1/phones/{id}/handoffs/{hid}',
  ]
  const reaching = () => built.filter((each) => namesPhone(each) && !calm.includes(nameOf(each)))

  it.each<[PhoneStatus, string, boolean, (id: string) => string]>([
    ['creating', 'phone_starting', true, (id) => `GET /v1/phones/${id}?wait=ready`],
    ['starting', 'phone_starting', true, (id) => `GET /v1/phones/${id}?wait=ready`],
    ['parking', 'phone_parking', true, (id) => `GET /v1/phones/${id}?wait=parked`],
    ['parked', 'phone_not_running', false, (id) => `POST /v1/phones/${id}/start`],
    ['unavailable', 'phone_not_running', false, (id) => `POST /v1/phones/${id}/start`],
    ['failed', 'phone_failed', false, () => 'Create a new phone: POST /v1/phones'],
    ['deleted', 'phone_deleted', false, () => 'Create a new phone: POST /v1/phones'],
  ])(
    'while it is %s, returns 409 %s for every request that needs it ready [2.25, 22.19, 23.20, 26.2, 26.11, 28.2, 29.2, 35.1]',
    async (status, code, retryable, next) => {
      expect(reaching().length).toBeGreaterThan(20)
      const id = phone(status)
      for (const endpoint of reaching()) {
        const error = errorOf(await ask(requestOf(endpoint, id)), 409, code)
        expect([error.retryable, error.next], nameOf(endpoint)).toEqual([retryable, next(id)])
        expect(error.details).toMatchObject({ status })
      }
      // The phone is unchanged, and can be read.
      const read = await ask({ method: 'GET', url: `/v1/phones/${id}` })
      expect([read.statusCode, read.json<{ status: string }>().status]).toEqual([200, status])
      expectConventions(read)
      expect((await ask({ method: 'GET', url: `/v1/phones/${id}/sessions` })).statusCode).toBe(200)
    },
  )

  it('returns the same 404 when it does not exist as when it belongs to another project [2.26, 23.15]', async () => {
    const stranger = await plane.tenant()
    for (const endpoint of built.filter(namesPhone)) {
      const [none, other] = [
        errorOf(await ask(requestOf(endpoint, nobody)), 404, 'phone_not_found'),
        errorOf(await ask(requestOf(endpoint, phone('ready')), stranger.key), 404, 'phone_not_found'),
      ]
      const blank = { request_id: '', details: {} }
      expect({ ...other, ...blank }, nameOf(endpoint)).toEqual({ ...none, ...blank })
      expect([none.details, other.details]).toEqual([{ phone: nobody }, { phone: phone('ready') }])
    }
  })
})
