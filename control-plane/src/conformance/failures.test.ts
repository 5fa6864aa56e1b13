// Unexpected failures, and temporary refusals, as the client's error and in the log. Runs with real Postgres
// and broker.
import { createLogger, systemClock } from '@phonerack/shared'
import { type FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildServer } from '../api/server/server.js'
import { errorOf } from '../testing/api.js'
import { eventually, useWorld, type Plane, type Tenant } from '../testing/world.js'

const world = useWorld()
let plane: Plane
let tenant: Tenant
let logged: FastifyInstance
const lines: string[] = []
beforeAll(async () => {
  plane = await world.start({ env: { PHONERACK_JOBS: 'off' } })
  tenant = await plane.tenant()
  // The same services behind a server whose log is captured.
  logged = await buildServer({
    services: plane.app.services,
    config: { baseUrl: plane.config.http.baseUrl },
    log: createLogger('control-plane', { write: (line) => void lines.push(line) }),
    clock: systemClock,
  })
})
afterAll(async () => {
  await logged.close()
})

const call = (server: FastifyInstance, method: 'GET' | 'POST', url: string) =>
  server.inject({ method, url, headers: { authorization: `Bearer ${tenant.key}` } })

describe('an unexpected failure', () => {
  it('is internal_error without internal details, and is logged under its request ID [22.10, 23.63]', async () => {
    const { db } = plane.app.core
    // The key is still found.
    expect((await call(logged, 'GET', '/v1/account')).statusCode).toBe(200)
    await db.$executeRaw`alter table uploads rename to uploads_gone`
    try {
      for (const [method, url] of [
        ['GET', '/v1/apps/uploads'],
        ['POST', '/v1/apps/uploads'],
      ] as const) {
        const response = await call(logged, method, url)
        const error = errorOf(response, 500, 'internal_error')
        expect(error).toEqual({
          type: 'api_error',
          code: 'internal_error',
          message: 'An internal error occurred.',
          retryable: method === 'GET',
          next: null,
          request_id: error.request_id,
          details: {},
        })
        for (const inside of ['uploads_gone', 'relation', 'prisma', 'select', tenant.projectId])
          expect(response.body.toLowerCase()).not.toContain(inside.toLowerCase())
        const [line, ...others] = lines
          .map((each) => JSON.parse(each) as { msg: string; request_id?: string; err?: { stack?: string } })
          .filter((each) => each.msg === 'request failed' && each.request_id === error.request_id)
        expect(others).toEqual([])
        expect(line?.err?.stack).toMatch(/uploads/)
      }
      expect(lines.join('')).not.toContain(tenant.key)
    } finally {
      await db.$executeRaw`alter table uploads_gone rename to uploads`
    }
    expect((await call(logged, 'GET', '/v1/apps/uploads')).statusCode).toBe(200)
  })
})

describe('the library', () => {
  it('returns a wait over HTTP while it loads for the first time [13.5]', async () => {
    let release: () => void = () => undefined
    const held = new Promise<void>((resolve) => (release = resolve))
    let locked: () => void = () => undefined
    const isLocked = new Promise<void>((resolve) => (locked = resolve))
    const lock = plane.app.core.db.$transaction(
      async (tx) => {
        await tx.$executeRaw`lock table library_apps in access exclusive mode`
        locked()
        await held
      },
      { timeout: 110_000 },
    )
    // A test may assert the rejection later.
    lock.catch(() => undefined)
    await isLocked
    const replica = await world.start({ beside: plane, env: { PHONERACK_JOBS: 'off' } })
    const refused = await call(replica.server, 'GET', '/v1/apps/library')
    const { details, retryable } = errorOf(refused, 429, 'rate_limited')
    expect([details, retryable, refused.headers['retry-after']]).toEqual([
      { retry_after_seconds: 2 },
      true,
      '2',
    ])
    release()
    await lock
    await eventually(async () => (await call(replica.server, 'GET', '/v1/apps/library')).statusCode === 200)
  })
})
