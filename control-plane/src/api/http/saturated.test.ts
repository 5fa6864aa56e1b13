// A replica whose connections to Postgres are all in use refuses requests that need a connection with 503,
// and serves again when they are free.
import { promisify } from 'node:util'
import { errorTable } from '@phonerack/shared'
import pg from 'pg'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { errorOf } from '../../testing/api.js'
import { countLockWaits } from '../../testing/lock-waits.js'
import { eventually, useWorld, type Plane, type Tenant } from '../../testing/world.js'

const poolSize = 2
const world = useWorld()
let plane: Plane
let tenant: Tenant
beforeAll(async () => {
  plane = await world.start({ env: { PHONERACK_DATABASE_POOL: String(poolSize), PHONERACK_JOBS: 'off' } })
  tenant = await plane.tenant()
})

const createKey = () =>
  plane.operator.inject({
    method: 'POST',
    url: '/operator/v1/keys',
    headers: { authorization: `Bearer ${plane.operatorToken}` },
    payload: { project: tenant.projectId },
  })
const api = (method: 'GET' | 'POST' | 'PATCH', url: string, more: { payload?: object; key?: string } = {}) =>
  plane.server.inject({
    method,
    url,
    headers: {
      authorization: `Bearer ${tenant.key}`,
      ...(more.key === undefined ? {} : { 'idempotency-key': more.key }),
    },
    ...(more.payload ? { payload: more.payload } : {}),
  })

const realPause = promisify(setTimeout)

/** Runs `work` with timers that end immediately. A timer of ten seconds limits the wait for a connection. */
async function withFastTimers<T>(work: () => Promise<T>): Promise<T> {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    let isDone = false
    const working = work().finally(() => (isDone = true))
    while (!isDone) {
      await vi.advanceTimersByTimeAsync(200)
      await realPause(5)
    }
    return await working
  } finally {
    vi.useRealTimers()
  }
}

/** Runs `work` while requests that wait for a locked row hold each connection of the pool. */
async function whileSaturated<T>(work: () => Promise<T>): Promise<T> {
  const holder = new pg.Client({ connectionString: plane.config.databaseUrl })
  await holder.connect()
  try {
    await holder.query('begin')
    await holder.query('select 1 from projects where id = $1 for update', [tenant.projectId])
    const holding = Array.from({ length: poolSize }, createKey)
    await eventually(async () => (await countLockWaits(holder)) === poolSize)
    const result = await withFastTimers(work)
    await holder.query('commit')
    await Promise.all(holding)
    return result
  } finally {
    await holder.end()
  }
}

describe('a replica without a free connection to Postgres', () => {
  it('answers 503 with a next step, says whether anything was done, and serves again afterwards [23.69]', async () => {
    // The replica caches the key, so that the request itself fails below.
    expect((await api('GET', '/v1/account')).statusCode).toBe(200)
    const [read, operator, plain, keyed] = await whileSaturated(() =>
      Promise.all([
        api('GET', '/v1/phones'),
        createKey(),
        api('POST', '/v1/phones', { payload: { wait: false } }),
        api('POST', '/v1/phones', { payload: { wait: false }, key: 'create-while-busy' }),
      ]),
    )
    for (const answer of [read, operator, plain, keyed]) {
      const error = errorOf(answer, 503, 'service_unavailable')
      expect(error.next).toMatch(/again/)
      expect(answer.headers['retry-after']).toBe('2')
      expect(error.type).toBe(errorTable.service_unavailable.type)
    }
    expect(errorOf(read, 503, 'service_unavailable').retryable).toBe(true)
    expect(errorOf(operator, 503, 'service_unavailable').retryable).toBe(true)
    expect(errorOf(keyed, 503, 'service_unavailable')).toMatchObject({
      retryable: true,
      next: expect.stringContaining('the same Idempotency-Key') as string,
    })
    // The first transaction of the request without a key did not begin.
    expect(errorOf(plain, 503, 'service_unavailable').retryable).toBe(true)
    expect((await api('GET', '/v1/phones')).json<{ data: unknown[] }>().data).toEqual([])
    expect((await createKey()).statusCode).toBe(201)
  })

  it('says that nothing was done when it cannot read the key of a request', async () => {
    const { key } = (await createKey()).json<{ key: string }>()
    const batch = { actions: [{ type: 'wait', ms: 1 }] }
    const call = (method: 'GET' | 'POST', url: string, payload?: object) =>
      plane.server.inject({
        method,
        url,
        headers: { authorization: `Bearer ${key}` },
        ...(payload ? { payload } : {}),
      })
    const [create, actions] = await whileSaturated(() =>
      Promise.all([
        call('POST', '/v1/phones', { wait: false }),
        call('POST', '/v1/phones/ph_aaaaaaaaaaaa/actions', batch),
      ]),
    )
    expect(errorOf(create, 503, 'service_unavailable').retryable).toBe(true)
    // The specification of batches requires this code.
    expect(errorOf(actions, 503, 'phone_unavailable').retryable).toBe(true)
  })
})
