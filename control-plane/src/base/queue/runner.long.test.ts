// A job whose end cannot be written, as when Postgres closes the connection at that moment: it runs again.
import { pause } from '@phonerack/shared'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { z } from 'zod'
import { eventually, startWorld, type Plane, type World } from '../../testing/world.js'
import { JobRunner } from './runner.js'

let world: World
let plane: Plane
let runner: JobRunner | null = null
beforeAll(async () => {
  world = startWorld()
  plane = await world.start({ env: { PHONERACK_JOBS: 'off' } })
})
afterAll(() => world.stop())
afterEach(() => runner?.stop(() => undefined))

/** The first statement that ends a job fails, as it does for a connection that Postgres closes. */
async function breakFirstEnd(): Promise<void> {
  const { db } = plane.app.core
  await db.$executeRaw`drop sequence if exists test_ends`
  await db.$executeRaw`create sequence test_ends`
  await db.$executeRaw`create or replace function test_break_end() returns trigger language plpgsql as $$
    begin
      if nextval('test_ends') = 1 then
        raise exception 'terminating connection due to administrator command' using errcode = '57P01';
      end if;
      return coalesce(new, old);
    end $$`
  await db.$executeRaw`create or replace trigger test_failed before update on graphile_worker._private_jobs
    for each row when (old.locked_by is not null and new.locked_by is null) execute function test_break_end()`
  await db.$executeRaw`create or replace trigger test_succeeded before delete on graphile_worker._private_jobs
    for each row execute function test_break_end()`
}

async function hasFailedEnd(): Promise<boolean> {
  const [row] = await plane.app.core.db.$queryRaw<
    { called: boolean }[]
  >`select is_called as called from test_ends`
  return row?.called === true
}

async function hasNoJobs(): Promise<boolean> {
  const rows = await plane.app.core.db.$queryRaw<
    unknown[]
  >`select 1 from graphile_worker.jobs where task_identifier = 'test.end'`
  return rows.length === 0
}

it.each([
  ['succeeded', false],
  ['failed', true],
])('runs a job again that %s, and the process continues', async (_, fails) => {
  const { db, log } = plane.app.core
  await breakFirstEnd()
  const unhandled: unknown[] = []
  const onUnhandled = (error: unknown): void => void unhandled.push(error)
  process.on('unhandledRejection', onUnhandled)
  let runs = 0
  const task = (): void => {
    runs += 1
    if (fails && runs === 1) throw new Error('the job fails')
  }
  try {
    runner = await JobRunner.start({
      databaseUrl: plane.config.databaseUrl,
      db,
      log,
      replicaId: 'ends',
      replicaDeadAfterMs: 600_000,
      pace: 0.25,
      pools: [{ tasks: { 'test.end': task }, concurrency: 2 }],
    })
    await db.$queryRaw`select 1 as added from graphile_worker.add_job(identifier := 'test.end')`
    await eventually(() => runs === 2, 60_000)
    await eventually(hasNoJobs, 60_000)
    expect(unhandled).toEqual([])
  } finally {
    process.off('unhandledRejection', onUnhandled)
  }
})

/** Starts `runner` with a task that calls `work`. */
async function startRunner(work: (name: string) => Promise<void>): Promise<(name: string) => Promise<void>> {
  const { db, log } = plane.app.core
  runner = await JobRunner.start({
    databaseUrl: plane.config.databaseUrl,
    db,
    log,
    replicaId: 'ends',
    replicaDeadAfterMs: 600_000,
    pace: 0.25,
    pools: [{ tasks: { 'test.end': (payload) => work(nameIn(payload)) }, concurrency: 6 }],
  })
  return async (name) => {
    await db.$queryRaw`select 1 as added
      from graphile_worker.add_job('test.end', json_build_object('name', ${name}::text))`
  }
}

const nameIn = (payload: unknown): string => z.object({ name: z.string() }).parse(payload).name

it('runs jobs after several have ended while their pool stopped', async () => {
  await breakFirstEnd()
  const ran: string[] = []
  const add = await startRunner(async (name) => {
    // The jobs end at different times, so that a separate statement writes each end.
    await pause(Number(name), new AbortController().signal)
    ran.push(name)
  })
  for (const ms of [0, 600, 900, 1200, 1500]) await add(String(ms))
  await eventually(() => ran.includes('1500'), 60_000)
  await add('1')
  await eventually(() => ran.includes('1'), 60_000)
  await eventually(hasNoJobs, 60_000)
})

it('runs jobs while the last one of a pool that stopped still runs, and this one once', async () => {
  await breakFirstEnd()
  const ran: string[] = []
  const held = new AbortController()
  const add = await startRunner(async (name) => {
    ran.push(name)
    if (name === 'long') await pause(60_000, held.signal)
  })
  try {
    await add('long')
    await eventually(() => ran.includes('long'), 60_000)
    await add('unwritten')
    await eventually(hasFailedEnd, 60_000)
    // The pause lasts until the pool has stopped, since the pool would otherwise run the next job itself.
    await pause(500, new AbortController().signal)
    await add('next')
    await eventually(() => ran.includes('next'), 30_000)
    // If locks were released too early, that would happen within two heartbeats.
    await pause(1200, new AbortController().signal)
  } finally {
    held.abort()
  }
  await eventually(() => ran.filter((name) => name === 'unwritten').length === 2, 60_000)
  expect(ran.toSorted()).toEqual(['long', 'next', 'unwritten', 'unwritten'])
})
