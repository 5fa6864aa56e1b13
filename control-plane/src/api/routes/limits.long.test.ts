// Limits of the chapter "Limits" over many requests, at their edges: rates, bodies and pages. With
// real Postgres, a real broker, and two replicas where a limit is exact.
import { limits } from '@phonerack/shared'
import { beforeAll, describe, expect, it } from 'vitest'
import { type AgentDouble } from '../../testing/agent-double.js'
import { errorOf } from '../../testing/api.js'
import { endpoints, requestOf } from '../../testing/endpoints.js'
import { eventually, useWorld, type Plane, type Tenant } from '../../testing/world.js'
import { createKey } from '../../testing/operator.js'

const minute = 60_000
const world = useWorld()
let plane: Plane
let replica: Plane
let agent: AgentDouble
let ahead = 0
/** While set, the time is fixed. */
let standing: Date | null = null
const clock = { now: () => standing ?? new Date(Date.now() + ahead) }
const env = {
  PHONERACK_REQUESTS_PER_MINUTE: `${limits.requestsPerKeyPerMinute}`,
  PHONERACK_LIFECYCLE_PER_MINUTE: '8',
}
beforeAll(async () => {
  plane = await world.start({ env, clock })
  replica = await world.start({ env, clock, beside: plane })
  agent = await plane.rack(3, { beatMs: 200 })
})

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
async function call(
  on: Plane,
  key: string,
  [method, url]: [Method, string],
  body?: object,
  more: Record<string, string> = {},
) {
  return on.server.inject({
    method,
    url,
    headers: {
      authorization: `Bearer ${key}`,
      ...(body ? { 'content-type': 'application/json' } : {}),
      ...more,
    },
    ...(body ? { payload: JSON.stringify(body) } : {}),
  })
}

/** The wait of a rate refusal: the header and the details agree. */
function waitOf(response: Parameters<typeof errorOf>[0]): number {
  const { details, retryable } = errorOf(response, 429, 'rate_limited')
  expect(retryable).toBe(true)
  expect(response.headers['retry-after']).toBe(String(details['retry_after_seconds']))
  return Number(details['retry_after_seconds'])
}

describe('requests per key', () => {
  it('are limited to 600 in a calendar minute with any response, by each server on its own [20.24, 23.62]', async () => {
    standing = new Date('2026-03-04T05:06:07.400Z')
    const { key, projectId } = await plane.tenant({ preset: 'agent' })
    const account = (on = plane) => call(on, key, ['GET', '/v1/account'])
    const others = [
      [['GET', '/v1/phones?limit=0'], 400],
      [['DELETE', '/v1/phones/ph_aaaaaaaaaaaa'], 403],
      [['GET', '/v1/phones/ph_aaaaaaaaaaaa'], 404],
    ] as const
    for (const [[method, url], status] of others)
      expect((await call(plane, key, [method, url])).statusCode).toBe(status)
    // These requests do not count, since they are refused before the key is read.
    expect((await call(plane, key, ['GET', '/v1/nothing'])).statusCode).toBe(404)
    expect((await call(plane, key, ['PUT', '/v1/account'])).statusCode).toBe(405)
    const left = limits.requestsPerKeyPerMinute - others.length - 1
    const cheap = () => call(plane, key, ['GET', '/v1/phones?limit=0'])
    const answers = await Promise.all(Array.from({ length: left }, cheap))
    expect(answers.filter(({ statusCode }) => statusCode === 400)).toHaveLength(left)
    expect((await account()).statusCode).toBe(200)
    expect(waitOf(await account())).toBe(53)
    for (const [request] of others) waitOf(await call(plane, key, [...request]))
    expect((await account(replica)).statusCode).toBe(200)
    const second = await createKey(plane.app.core, { project: projectId, preset: 'agent', expires: 'never' })
    expect((await call(plane, second.key, ['GET', '/v1/account'])).statusCode).toBe(200)
    standing = new Date('2026-03-04T05:06:59.999Z')
    expect(waitOf(await account())).toBe(1)
    standing = new Date('2026-03-04T05:07:00.000Z')
    expect((await account()).statusCode).toBe(200)
    standing = null
  })
})

describe('lifecycle requests', () => {
  it('are creates, starts, renewals, parks and deletes, exactly limited per minute, and replays do not count [20.25]', async () => {
    ahead = minute - (Date.now() % minute)
    // At the new time, the host has been silent for too long, until its next heartbeat.
    const jumped = clock.now()
    await eventually(
      async () => (await plane.app.core.db.host.count({ where: { lastSeenAt: { lt: jumped } } })) === 0,
    )
    const { key, projectId } = await plane.tenant()
    const replayed = { 'idempotency-key': 'the-first-one' }
    const create = (on: Plane, more = {}) => call(on, key, ['POST', '/v1/phones'], {}, more)
    const counted = async () => {
      const rows = await plane.app.core.db.lifecycleCount.findMany({ where: { projectId } })
      return rows.reduce((sum, { count }) => sum + count, 0)
    }

    const created = await create(plane, replayed)
    expect(created.statusCode, created.body).toBe(201)
    const { id } = created.json<{ id: string }>()
    const url = `/v1/phones/${id}`
    for (const on of [plane, replica, plane]) {
      const again = await create(on, replayed)
      expect([again.statusCode, again.json<{ id: string }>().id]).toEqual([201, id])
    }
    expect(await counted()).toBe(1)
    // These requests do not count.
    for (const [method, path, body] of [
      ['GET', url],
      ['PATCH', url, { name: 'x' }],
      ['POST', `${url}/heartbeat`],
      ['GET', `${url}/sessions`],
      ['GET', '/v1/account'],
    ] as const)
      expect((await call(plane, key, [method, path], body)).statusCode).toBe(200)
    // A request that is refused for its body or its phone does not count either.
    expect((await call(plane, key, ['POST', `${url}/start`], { max_duration: 59 })).statusCode).toBe(400)
    expect((await call(plane, key, ['POST', '/v1/phones/ph_aaaaaaaaaaaa/park'])).statusCode).toBe(404)
    expect(await counted()).toBe(1)
    // A renewal, a park, a start, a park.
    for (const [at, verb] of ['start', 'park', 'start', 'park'].entries())
      expect((await call(at % 2 ? replica : plane, key, ['POST', `${url}/${verb}`])).statusCode).toBe(200)
    expect(await counted()).toBe(5)
    const second = await create(replica)
    const gone = await call(plane, key, ['DELETE', `/v1/phones/${second.json<{ id: string }>().id}`])
    expect(gone.statusCode).toBe(200)
    expect(await counted()).toBe(7)

    // Seven of eight requests are used, so one of ten concurrent requests on two servers succeeds.
    const burst = await Promise.all(
      Array.from({ length: 10 }, (_, at) => call(at % 2 ? replica : plane, key, ['POST', `${url}/park`])),
    )
    expect(burst.filter(({ statusCode }) => statusCode === 200)).toHaveLength(1)
    for (const [method, path] of [
      ['POST', '/v1/phones'],
      ['POST', `${url}/start`],
      ['POST', `${url}/park`],
      ['DELETE', url],
    ] as const)
      for (const on of [plane, replica]) {
        const seconds = waitOf(await call(on, key, [method, path]))
        expect(seconds).toBeGreaterThan(0)
        expect(seconds).toBeLessThanOrEqual(60)
      }
    expect((await create(replica, replayed)).json()).toMatchObject({ id, status: 'parked' })
    expect((await call(plane, key, ['GET', url])).statusCode).toBe(200)
    expect(await counted()).toBe(8)
    const other = await plane.tenant()
    await eventually(async () => {
      const free = await plane.app.core.db.device.count({ where: { state: 'free', link: 'healthy' } })
      return free > 0
    })
    expect((await call(plane, other.key, ['POST', '/v1/phones'], { wait: false })).statusCode).toBeLessThan(
      300,
    )
    ahead += minute
    expect((await call(replica, key, ['POST', `${url}/park`])).statusCode).toBe(200)
  })
})

describe('an Idempotency-Key', () => {
  const hours24 = 24 * 60 * minute
  it('identifies one create for 24 hours, and nothing else [17.5, 17.7, 20.21, 23.25]', async () => {
    const { key } = await plane.tenant()
    const twice = { 'idempotency-key': 'used-all-over' }
    const create = (body: object) => call(plane, key, ['POST', '/v1/phones'], body, twice)
    // The devices of the tests above may still be wiping: a refused create uses no name.
    let created = await create({ name: 'a' })
    await eventually(async () => {
      if (created.statusCode === 503) created = await create({ name: 'a' })
      return created.statusCode !== 503
    })
    expect(created.statusCode, created.body).toBe(201)
    const { id } = created.json<{ id: string }>()

    const batches: string[] = []
    agent.onBatch = (request) => {
      batches.push(request.assignment?.phoneId ?? '')
      return Promise.resolve()
    }
    const actions = { actions: [{ type: 'home' }], observe: 'none' }
    for (const batch of [actions, actions])
      await call(plane, key, ['POST', `/v1/phones/${id}/actions`], batch, twice)
    expect(batches).toEqual([id, id])
    expect((await call(plane, key, ['DELETE', `/v1/phones/${id}`])).statusCode).toBe(200)

    ahead += hours24 - minute
    expect((await create({ name: 'a' })).json()).toMatchObject({ id, status: 'deleted' })
    const conflict = errorOf(await create({ name: 'b' }), 409, 'idempotency_conflict')
    expect([conflict.details, conflict.retryable]).toEqual([{ phone: id }, false])
    expect(conflict.next).toContain('original body')
    ahead += 2 * minute
    // A new create, whether or not a phone is free after so long.
    const later = await create({ name: 'b' })
    expect([201, 202, 503], later.body).toContain(later.statusCode)
    expect(later.body).not.toContain(id)
  })
})

describe('bodies and pages', () => {
  let tenant: Tenant
  beforeAll(async () => {
    tenant = await plane.tenant()
  })

  it('are limited to 100,000 bytes at every endpoint that accepts JSON, 200,000 for a batch, 4,000,000 for a file [2.7, 20.1, 23.52, 26.10]', async () => {
    const { paths } = (await plane.server.inject({ url: '/openapi.json' })).json<{
      paths: Record<string, Record<string, { requestBody?: object }>>
    }>()
    const taking = endpoints.filter(({ method, path }) => paths[path]?.[method.toLowerCase()]?.requestBody)
    expect(taking.length).toBeGreaterThan(15)
    for (const endpoint of taking) {
      const { headers, ...request } = requestOf(endpoint, 'ph_aaaaaaaaaaaa')
      const isFile = endpoint.method === 'PUT' && endpoint.path.endsWith('/files')
      const isBatch = endpoint.path.endsWith('/actions')
      const bytes = isFile ? limits.fileBytes : isBatch ? limits.actionsBody : limits.jsonBody
      const type = isFile ? 'application/octet-stream' : 'application/json'
      const send = (length: number) =>
        plane.server.inject({
          ...request,
          headers: { ...headers, authorization: `Bearer ${tenant.key}`, 'content-type': type },
          // The unknown field prevents the request from creating an object.
          payload: (isFile || endpoint.body ? (request.payload ?? '') : '{"x":1}').padEnd(length, ' '),
        })
      const name = `${endpoint.method} ${endpoint.path}`
      expect((await send(bytes)).statusCode, name).not.toBe(413)
      const refused = errorOf(await send(bytes + 1), 413, 'payload_too_large')
      expect([refused.details, refused.retryable], name).toEqual([{ limit_bytes: bytes }, false])
    }
  })

  const ids = Array.from({ length: 101 }, (_, at) => {
    const [high, low] = [Math.floor(at / 26), at % 26].map((part) => String.fromCharCode(97 + part))
    return `${high}${low}aaaaaaaaaa`
  })
  const begin = Date.parse('2026-01-01T00:00:00Z')
  /** Two rows per time: the order must be unique anyway. */
  const timeOf = (at: number) => new Date(begin + Math.floor(at / 2) * 1000)

  it.each([
    [
      'phones',
      async () => {
        await plane.app.core.db.phone.createMany({
          data: ids.map((id, at) => ({
            id: `ph_${id}`,
            projectId: tenant.projectId,
            keyId: 'k',
            name: id,
            status: 'parked',
            createdAt: timeOf(at),
          })),
        })
        return '/v1/phones'
      },
    ],
    [
      'sessions',
      async () => {
        const phoneId = 'ph_sessionsaaaa'
        await plane.app.core.db.phone.create({
          data: {
            id: phoneId,
            projectId: tenant.projectId,
            keyId: 'k',
            name: 'n',
            status: 'deleted',
            createdAt: timeOf(0),
          },
        })
        await plane.app.core.db.session.createMany({
          data: ids.map((id, at) => ({
            id: `ses_${id}`,
            phoneId,
            projectId: tenant.projectId,
            idleTimeout: 300,
            maxDuration: 60,
            startedAt: timeOf(at),
            endedAt: timeOf(at + 1),
            endReason: 'parked',
            billedSeconds: 60,
            costMicros: 60_000n,
            reservedMicros: 60_000n,
          })),
        })
        return `/v1/phones/${phoneId}/sessions`
      },
    ],
    [
      'uploads',
      async () => {
        await plane.app.core.db.upload.createMany({
          data: ids.map((id, at) => ({
            id: `upl_${id}`,
            projectId: tenant.projectId,
            keyId: 'k',
            status: 'awaiting_file',

            tokenHash: id,
            createdAt: timeOf(at),
            expiresAt: new Date(clock.now().getTime() + 60 * minute),
          })),
        })
        return '/v1/apps/uploads'
      },
    ],
  ])(
    'hold 50 of %s, or 1 to 100, newest first, each once, and the last has no cursor [7.4, 11.2, 19.1, 19.2, 20.11]',
    async (_name, fill) => {
      const url = await fill()
      const page = async (query: string) => {
        const response = await call(plane, tenant.key, ['GET', `${url}?${query}`])
        expect(response.statusCode, response.body).toBe(200)
        return response.json<{ data: { id: string }[]; next_cursor: string | null }>()
      }
      const all: string[] = []
      const sizes: number[] = []
      let cursor: string | null = ''
      while (cursor !== null) {
        const { data, next_cursor: next } = await page(cursor ? `cursor=${encodeURIComponent(cursor)}` : '')
        sizes.push(data.length)
        all.push(...data.map(({ id }) => id))
        cursor = next
      }
      expect(sizes).toEqual([50, 50, 1])
      expect(all.map((id) => id.replace(/^[a-z]+_/, ''))).toEqual([...ids].reverse())
      for (const size of [1, 99, 100]) {
        const { data, next_cursor: next } = await page(`limit=${size}`)
        expect(data.map(({ id }) => id)).toEqual(all.slice(0, size))
        const rest = await page(`limit=100&cursor=${encodeURIComponent(next ?? '')}`)
        expect([rest.data.map(({ id }) => id), rest.next_cursor]).toEqual([all.slice(size, size + 100), null])
      }
      for (const query of ['limit=0', 'limit=101', 'limit=-1', 'limit=1.5', 'cursor=', 'cursor=nonsense'])
        errorOf(await call(plane, tenant.key, ['GET', `${url}?${query}`]), 400, 'validation_failed')
    },
  )
})
