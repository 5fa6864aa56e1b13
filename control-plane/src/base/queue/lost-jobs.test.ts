// Jobs whose lock this process does not know of: the connection broke after Postgres had locked the job.
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { startPostgresProxy, type PostgresProxy } from '../../testing/postgres-proxy.js'
import { eventually, startWorld, type Plane, type World } from '../../testing/world.js'
import { JobRunner } from './runner.js'

let world: World
let plane: Plane
let proxy: PostgresProxy
let runner: JobRunner | null = null
beforeAll(async () => {
  world = startWorld()
  plane = await world.start({ env: { PHONERACK_JOBS: 'off' } })
  proxy = await startPostgresProxy(plane.config.databaseUrl)
})
afterAll(async () => {
  await proxy.stop()
  await world.stop()
})
afterEach(async () => {
  await runner?.stop(() => undefined)
  await plane.app.core.db.$executeRaw`delete from graphile_worker._private_jobs`
})

async function start(task: (name: string) => Promise<void> | void): Promise<void> {
  const { db, log } = plane.app.core
  runner = await JobRunner.start({
    databaseUrl: proxy.url,
    db,
    log,
    replicaId: 'lost',
    replicaDeadAfterMs: 600_000,
    lostAfterMs: 2000,
    pace: 0.02,
    pools: [{ tasks: { 'test.job': (payload) => task((payload as { name: string }).name) }, concurrency: 2 }],
  })
}

const add = (name: string) => plane.app.core.db.$queryRaw`
  select 1 as added from graphile_worker.add_job(identifier := 'test.job',
    payload := json_build_object('name', ${name}::text))`

interface Row {
  name: string
  attempts: number
  isLocked: boolean
}
const rows = () => plane.app.core.db.$queryRaw<Row[]>`
  select payload->>'name' as name, attempts, locked_by is not null as "isLocked" from graphile_worker._private_jobs
  where payload->>'name' is not null`

describe('a job that is locked although the answer to its worker was lost', () => {
  it('runs after the time in which an answer can arrive', async () => {
    const ran: string[] = []
    await start((name) => void ran.push(name))
    // A worker may ask while no job is due. Then another worker gets the next job.
    let lost: Row | undefined
    for (let attempt = 1; lost === undefined && attempt <= 10; attempt += 1) {
      const isCut = proxy.cut('get_job/graphile_worker', 'answer')
      await add(`job ${attempt}`)
      await isCut
      await sleep(500)
      lost = (await rows()).find(({ isLocked }) => isLocked)
    }
    expect(lost).toEqual({ name: expect.any(String) as string, attempts: 1, isLocked: true })
    expect(ran).not.toContain(lost?.name)
    await eventually(() => ran.includes(lost?.name ?? ''), 60_000)
    await eventually(async () => (await rows()).length === 0, 60_000)
    expect(ran.filter((name) => name === lost?.name)).toHaveLength(1)
  })
})

describe('a job that runs for longer than that time', () => {
  it('stays locked, and is run once', async () => {
    let runs = 0
    let finish = (): void => undefined
    const finished = new Promise<void>((resolve) => (finish = resolve))
    await start(() => {
      runs += 1
      return finished
    })
    await add('long')
    await eventually(() => runs === 1)
    const { db } = plane.app.core
    // Waits until a heartbeat has recorded the owner of the lock: other replicas unlock old locks without an owner.
    await eventually(async () => {
      const owned = await db.$queryRaw<unknown[]>`select 1 from graphile_worker._private_jobs j
        join replicas r on j.locked_by = any(r.worker_ids)`
      return owned.length === 1
    })
    await db.$executeRaw`update graphile_worker._private_jobs set locked_at = now() - interval '1 minute'`
    // Longer than the interval of some queries for jobs.
    await sleep(1000)
    expect(await rows()).toEqual([{ name: 'long', attempts: 1, isLocked: true }])
    finish()
    await eventually(async () => (await rows()).length === 0)
    expect(runs).toBe(1)
  })
})

describe('a job whose end was lost, as in a failover to a server that had not received it', () => {
  it('runs again', async () => {
    const { db } = plane.app.core
    await db.$executeRaw`create sequence test_lost_ends`
    await db.$executeRaw`create function test_lose_end() returns trigger language plpgsql as $$
      begin
        return case when nextval('test_lost_ends') = 1 then null else old end;
      end $$`
    await db.$executeRaw`create trigger test_lost before delete on graphile_worker._private_jobs
      for each row execute function test_lose_end()`
    let runs = 0
    await start(() => void (runs += 1))
    await add('ended')
    await eventually(() => runs === 1)
    await eventually(() => runs === 2, 60_000)
    await eventually(async () => (await rows()).length === 0)
    expect(runs).toBe(2)
  })
})
