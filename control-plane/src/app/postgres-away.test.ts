// Requests while Postgres is unavailable, and when it leaves within a transaction. A proxy closes the connections.
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { errorOf } from '../testing/api.js'
import { startBehind } from '../testing/behind-postgres.js'
import { countLockWaits } from '../testing/lock-waits.js'
import { startPostgresProxy, type PostgresProxy } from '../testing/postgres-proxy.js'
import { eventually, newDatabase, startWorld, type World } from '../testing/world.js'

let world: World
let proxy: PostgresProxy
let at: Awaited<ReturnType<typeof startBehind>>
beforeAll(async () => {
  world = startWorld()
  proxy = await startPostgresProxy(await newDatabase(inject('testServers').postgresUrl))
  at = await startBehind(world, proxy.url)
})
afterAll(async () => {
  await world.stop()
  await proxy.stop()
})

// This test is the first, since the next record of the phone's activity is written seconds later.
it('answers a finished call while the record of its activity waits for a lock', async () => {
  const holder = new pg.Client({ connectionString: proxy.url })
  await holder.connect()
  try {
    await holder.query('begin')
    await holder.query('select 1 from phones where id = $1 for update', [at.phone])
    expect((await at.call('GET', `/v1/phones/${at.phone}/clipboard`)).statusCode).toBe(200)
    await eventually(async () => (await countLockWaits(holder)) > 0)
  } finally {
    await holder.end()
  }
})

describe('without Postgres', () => {
  it('answers 503 with Retry-After while connections are closed, and serves again afterwards', async () => {
    const before = await at.named()
    proxy.close()
    await at.expectUnavailable().finally(() => proxy.open())
    await at.isBack()
    expect(await at.named()).toBe(before)
  })
})

describe('when Postgres leaves within a transaction', () => {
  it('allows a repetition when the commit was not sent, and nothing was changed', async () => {
    const before = await at.named()
    const isCut = proxy.cut('cut-before', 'statement')
    const answer = await at.call('PATCH', `/v1/phones/${at.phone}`, { name: 'cut-before' })
    await isCut
    expect(errorOf(answer, 503, 'service_unavailable').retryable).toBe(true)
    await at.isBack()
    expect(await at.named()).toBe(before)
  })

  it('answers 500 without a repetition when the commit was not answered', async () => {
    const isCut = proxy.cut('cut-after', 'commit')
    const answer = await at.call('PATCH', `/v1/phones/${at.phone}`, { name: 'cut-after' })
    await isCut
    expect(errorOf(answer, 500, 'internal_error').retryable).toBe(false)
    await at.isBack()
    expect(await at.named()).toBe('cut-after')

    const isOperatorCut = proxy.cut('operator-cut', 'commit')
    const created = await at.createKey('operator-cut')
    await isOperatorCut
    expect(errorOf(created, 500, 'internal_error').retryable).toBe(false)
  })

  it('allows no repetition of a delete whose recording is deleted at its host', async () => {
    const started = await at.call('POST', `/v1/phones/${at.phone}/recordings`)
    const { id } = started.json<{ id: string }>()
    at.agent.onCall = (name) => {
      if (name === 'dropRecording') proxy.close()
      return Promise.resolve()
    }
    const answer = await at.call('DELETE', `/v1/phones/${at.phone}/recordings/${id}`)
    at.agent.onCall = () => Promise.resolve()
    proxy.open()
    expect(errorOf(answer, 500, 'internal_error').retryable).toBe(false)
    await at.isBack()
  })

  it('answers a batch that began with its results', async () => {
    const plain = at.agent.onBatch
    at.agent.onBatch = async (request, send) => {
      at.agent.onBatch = plain
      proxy.close()
      await plain(request, send)
    }
    const answer = await at.call('POST', `/v1/phones/${at.phone}/actions`, {
      actions: [{ type: 'wait', ms: 1 }],
    })
    proxy.open()
    expect([answer.statusCode, answer.json()]).toEqual([200, expect.objectContaining({ completed: 1 })])
    await at.isBack()
  })
})
