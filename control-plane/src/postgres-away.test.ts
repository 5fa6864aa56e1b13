// Requests while Postgres is unavailable, and when it leaves within a transaction. With its own Postgres.
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { eraseCluster, startPostgres } from '@phonerack/launcher/postgres'
import { pause } from '@phonerack/shared'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type AgentDouble } from './testing/agent-double.js'
import { errorOf } from './testing/api.js'
import { startPostgresProxy, type PostgresProxy } from './testing/postgres-proxy.js'
import { createBody, eventually, startWorld, type Plane, type Tenant, type World } from './testing/world.js'

let world: World
let postgres: Awaited<ReturnType<typeof startPostgres>>
let proxy: PostgresProxy
let plane: Plane
let agent: AgentDouble
let tenant: Tenant
let phone: string
const dir = (): string => path.join(world.dir, 'pg')
beforeAll(async () => {
  world = startWorld()
  postgres = await startPostgres({ dir: dir() })
  proxy = await startPostgresProxy(await postgres.createDatabase('away'))
  plane = await world.start({ env: { DATABASE_URL: proxy.url } })
  agent = await plane.rack(1)
  tenant = await plane.tenant()
  const { phones } = plane.app.services
  phone = (await phones.create(tenant.caller, createBody({ maxDuration: 10_000, idleTimeout: 3600 }), null))
    .phone.id
  await phones.wait(phone, ({ status }) => status === 'ready', 60_000, new AbortController().signal)
})
afterAll(async () => {
  await world.stop()
  await proxy.stop()
  await postgres.stop()
  eraseCluster(dir())
})

const call = (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', url: string, payload?: object) =>
  plane.server.inject({
    ...{ method, url, headers: { authorization: `Bearer ${tenant.key}` } },
    ...(payload ? { payload } : {}),
  })
const createKey = (name: string) =>
  plane.operator.inject({
    ...{ method: 'POST', url: '/operator/v1/keys' },
    headers: { authorization: `Bearer ${plane.operatorToken}` },
    payload: { project: tenant.projectId, name },
  })
const named = async () => (await call('GET', `/v1/phones/${phone}`)).json<{ name: string | null }>().name
const isBack = () => eventually(async () => (await call('GET', `/v1/phones/${phone}`)).statusCode === 200)

/** Reads, writes that did not begin, and requests into phones. */
async function expectUnavailable(): Promise<void> {
  const refused = [
    call('GET', '/v1/phones'),
    call('GET', '/v1/account'),
    call('PATCH', `/v1/phones/${phone}`, { name: 'while away' }),
    call('POST', '/v1/phones', { wait: false }),
    call('POST', `/v1/phones/${phone}/park`, { wait: false }),
    createKey('while away'),
  ]
  for (const answer of await Promise.all(refused)) {
    const error = errorOf(answer, 503, 'service_unavailable')
    expect([error.type, error.retryable, answer.headers['retry-after']]).toEqual(['api_error', true, '2'])
    expect(error.next).toMatch(/again/)
  }
  const batch = await call('POST', `/v1/phones/${phone}/actions`, { actions: [{ type: 'wait', ms: 1 }] })
  expect(errorOf(batch, 503, 'phone_unavailable').retryable).toBe(true)
  expect(batch.headers['retry-after']).toBe('2')
  const screenshot = await call('GET', `/v1/phones/${phone}/screenshot`)
  // The second when the key is no longer cached.
  expect(['phone_unavailable', 'service_unavailable']).toContain(
    screenshot.json<{ error: { code: string } }>().error.code,
  )
  expect([screenshot.statusCode, screenshot.headers['retry-after']]).toEqual([503, '2'])
  expect((await plane.server.inject({ url: '/livez' })).statusCode).toBe(200)
  const ready = await plane.server.inject({ url: '/readyz' })
  expect(ready.json()).toMatchObject({
    status: 'unavailable',
    checks: { postgres: { ok: false, required: true } },
  })
}

// First, since the next record of the phone's activity comes seconds later.
it('answers a finished call while the record of its activity waits for a lock', async () => {
  const holder = new pg.Client({ connectionString: proxy.url })
  await holder.connect()
  try {
    await holder.query('begin')
    await holder.query('select 1 from phones where id = $1 for update', [phone])
    expect((await call('GET', `/v1/phones/${phone}/clipboard`)).statusCode).toBe(200)
    const { rows } = await holder.query(
      `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    )
    expect(rows.length).toBeGreaterThan(0)
  } finally {
    await holder.end()
  }
})

describe('without Postgres', () => {
  it('answers 503 with Retry-After while connections are closed, and serves again afterwards', async () => {
    const before = await named()
    proxy.close()
    await expectUnavailable().finally(() => proxy.open())
    await isBack()
    expect(await named()).toBe(before)
  })

  it('does so while Postgres is stopped, and serves again once it runs', async () => {
    const port = Number(new URL(postgres.url).port)
    await postgres.stop()
    try {
      await expectUnavailable()
    } finally {
      postgres = await startPostgres({ dir: dir(), port })
    }
    await isBack()
  })

  it('answers each request once a frozen Postgres continues', async () => {
    const processes = [postgres.pid, ...childrenOf(postgres.pid)]
    for (const pid of processes) process.kill(pid, 'SIGSTOP')
    const asked = [call('GET', '/v1/phones'), call('PATCH', `/v1/phones/${phone}`, { name: 'thawed' })]
    await pause(5000, new AbortController().signal)
    for (const pid of processes) process.kill(pid, 'SIGCONT')
    for (const { statusCode } of await Promise.all(asked)) expect([200, 503]).toContain(statusCode)
    await isBack()
  })
})

describe('when Postgres leaves within a transaction', () => {
  it('allows a repetition when the commit was not sent, and nothing was changed', async () => {
    const before = await named()
    const isCut = proxy.cut('cut-before', 'statement')
    const answer = await call('PATCH', `/v1/phones/${phone}`, { name: 'cut-before' })
    await isCut
    expect(errorOf(answer, 503, 'service_unavailable').retryable).toBe(true)
    await isBack()
    expect(await named()).toBe(before)
  })

  it('answers 500 without a repetition when the commit was not answered', async () => {
    const isCut = proxy.cut('cut-after', 'commit')
    const answer = await call('PATCH', `/v1/phones/${phone}`, { name: 'cut-after' })
    await isCut
    expect(errorOf(answer, 500, 'internal_error').retryable).toBe(false)
    await isBack()
    expect(await named()).toBe('cut-after')

    const isOperatorCut = proxy.cut('operator-cut', 'commit')
    const created = await createKey('operator-cut')
    await isOperatorCut
    expect(errorOf(created, 500, 'internal_error').retryable).toBe(false)
  })

  it('allows no repetition of a delete whose recording is deleted at its host', async () => {
    const started = await call('POST', `/v1/phones/${phone}/recordings`)
    const { id } = started.json<{ id: string }>()
    agent.onCall = (name) => {
      if (name === 'dropRecording') proxy.close()
      return Promise.resolve()
    }
    const answer = await call('DELETE', `/v1/phones/${phone}/recordings/${id}`)
    agent.onCall = () => Promise.resolve()
    proxy.open()
    expect(errorOf(answer, 500, 'internal_error').retryable).toBe(false)
    await isBack()
  })

  it('answers a batch that began with its results', async () => {
    const plain = agent.onBatch
    agent.onBatch = async (request, send) => {
      agent.onBatch = plain
      proxy.close()
      await plain(request, send)
    }
    const answer = await call('POST', `/v1/phones/${phone}/actions`, { actions: [{ type: 'wait', ms: 1 }] })
    proxy.open()
    expect([answer.statusCode, answer.json()]).toEqual([200, expect.objectContaining({ completed: 1 })])
    await isBack()
  })
})

/** Reads the process table of Linux. */
function childrenOf(parent: number): number[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return pids.map(Number).filter((pid) => {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
      return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]) === parent
    } catch (error) {
      // It has ended since the list was read.
      if (error instanceof Error) return false
      throw error
    }
  })
}
