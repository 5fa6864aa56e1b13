// One tenant whose requests wait for the lock of its project does not take the connections of the others. With real Postgres.
import pg from 'pg'
import { beforeAll, expect, it } from 'vitest'
import { errorOf } from '../../testing/api.js'
import { countLockWaits } from '../../testing/lock-waits.js'
import { eventually, useWorld, type Plane, type Tenant } from '../../testing/world.js'

const poolSize = 10
const running = 2
const world = useWorld()
let plane: Plane
beforeAll(async () => {
  plane = await world.start({
    env: { PHONERACK_DATABASE_POOL: String(poolSize), PHONERACK_UPLOADS_PER_DAY: '1000' },
  })
  await plane.rack(1)
})

const send = ({ key }: Tenant, method: 'GET' | 'POST', url: string, payload?: object) =>
  plane.server.inject({
    method,
    url,
    headers: { authorization: `Bearer ${key}` },
    ...(payload ? { payload } : {}),
  })
const create = (tenant: Tenant) => send(tenant, 'POST', '/v1/phones', { wait: false })

it('serves other tenants while the requests of one wait for the lock of its project', async () => {
  const [busy, other] = [await plane.tenant(), await plane.tenant()]
  const holder = new pg.Client({ connectionString: plane.config.databaseUrl })
  await holder.connect()
  const waiting = (): Promise<number> => countLockWaits(holder)
  let answered = 0
  try {
    await holder.query('begin')
    await holder.query('select 1 from projects where id = $1 for update', [busy.projectId])
    const creates = Array.from({ length: 60 }, () => create(busy).finally(() => (answered += 1)))
    await eventually(async () => (await waiting()) >= running)

    expect((await send(busy, 'GET', '/v1/account')).statusCode).toBe(200)
    expect((await send(other, 'GET', '/v1/account')).statusCode).toBe(200)
    const created = await create(other)
    expect(created.statusCode, created.body).toBe(202)
    expect(await waiting()).toBe(running)
    expect(answered).toBe(0)

    await holder.query('commit')
    // The only device is the other tenant's.
    const codes = new Set<string>()
    for (const answer of await Promise.all(creates))
      codes.add(
        errorOf(answer, answer.statusCode, answer.json<{ error: { code: string } }>().error.code).code,
      )
    expect([...codes]).toContain('capacity_unavailable')
    expect(codes).not.toContain('internal_error')
  } finally {
    await holder.end()
  }
})

it('refuses the requests that are too many to wait, and takes them when the others have ended', async () => {
  const busy = await plane.tenant()
  const holder = new pg.Client({ connectionString: plane.config.databaseUrl })
  await holder.connect()
  try {
    await holder.query('begin')
    await holder.query('select 1 from projects where id = $1 for update', [busy.projectId])
    const uploads = Array.from({ length: 110 }, () => send(busy, 'POST', '/v1/apps/uploads'))
    const first = await Promise.race(uploads)
    const error = errorOf(first, 429, 'rate_limited')
    expect(error).toMatchObject({ retryable: true, details: { limit: 100 } })
    expect(error.next).toMatch(/again/)
    expect(first.headers['retry-after']).toBe('2')
    await holder.query('commit')
    await Promise.all(uploads)
    expect((await send(busy, 'POST', '/v1/apps/uploads')).statusCode).toBe(201)
  } finally {
    await holder.end()
  }
})
