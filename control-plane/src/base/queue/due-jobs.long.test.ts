// Workers that find their jobs without polling: graphile's own polls come too late for these tests.
import { pause } from '@phonerack/shared'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { eventually, startWorld, type Plane, type World } from '../../testing/world.js'
import { openDatabase } from '../db/database.js'
import { JobRunner } from './runner.js'

let world: World
let plane: Plane
let runner: JobRunner
const ran: { name: string; at: Date }[] = []
beforeAll(async () => {
  world = startWorld()
  plane = await world.start({ env: { PHONERACK_JOBS: 'off' } })
})
afterAll(() => world.stop())
beforeEach(async () => {
  ran.length = 0
  const { db, log } = plane.app.core
  const note = (payload: unknown): void => {
    ran.push({ name: (payload as { name: string }).name, at: new Date() })
  }
  runner = await JobRunner.start({
    databaseUrl: plane.config.databaseUrl,
    db,
    log,
    replicaId: 'due',
    replicaDeadAfterMs: 600_000,
    pools: [
      { tasks: { 'test.note': note }, concurrency: 2 },
      { tasks: { 'test.other': note }, concurrency: 2 },
    ],
  })
})
afterEach(() => runner.stop(() => undefined))

/** Adds a job without a connection of the runner. */
const add = (name: string, inMs: number, task = 'test.note') => plane.app.core.db.$queryRaw`
  select 1 as added from graphile_worker.add_job(identifier := ${task}::text,
    payload := json_build_object('name', ${name}::text),
    run_at := now() + make_interval(secs => ${inMs / 1000}::float8))`
const names = () => ran.map(({ name }) => name).sort()

describe('a worker that waits', () => {
  it('runs jobs that another replica adds', async () => {
    await add('first', 0)
    await eventually(() => ran.length === 1)
    await Promise.all([add('second', 0), add('third', 0, 'test.other')])
    await eventually(() => ran.length === 3)
    expect(names()).toEqual(['first', 'second', 'third'])
  })

  it('runs jobs when they become due, and not before', async () => {
    const from = Date.now()
    await add('later', 5000)
    await Promise.all([add('soon', 300), add('also later', 5000, 'test.other')])
    await eventually(() => ran.length === 3)
    expect(names()).toEqual(['also later', 'later', 'soon'])
    for (const { name, at } of ran)
      expect([name, at.getTime() - from >= (name === 'soon' ? 300 : 5000)]).toEqual([name, true])
  })

  it('runs jobs that become due while all connections for requests are in use', async () => {
    const requests = openDatabase(plane.config.databaseUrl, 1)
    const ranBusy: number[] = []
    const busy = await JobRunner.start({
      databaseUrl: plane.config.databaseUrl,
      db: requests.db,
      log: plane.app.core.log,
      replicaId: 'busy',
      replicaDeadAfterMs: 600_000,
      pools: [{ tasks: { 'test.busy': () => void ranBusy.push(1) }, concurrency: 1 }],
    })
    const release = new AbortController()
    const held = requests.db
      .$transaction(
        async (tx) => {
          await tx.$queryRaw`select 1 as held`
          await pause(600_000, release.signal)
        },
        { timeout: 600_000 },
      )
      // Postgres ends a transaction that is idle for long.
      .catch(() => undefined)
    try {
      await add('busy', 300, 'test.busy')
      await eventually(() => ranBusy.length === 1)
    } finally {
      release.abort()
      await held
      await busy.stop(() => undefined)
      await requests.close()
    }
  })

  it('runs a job that was unlocked without a notification', async () => {
    const { db } = plane.app.core
    await db.$transaction(async (tx) => {
      await tx.$queryRaw`select 1 as added from graphile_worker.add_job('test.note', '{"name":"unlocked"}'::json)`
      await tx.$executeRaw`update graphile_worker._private_jobs set locked_at = now(), locked_by = 'gone'`
    })
    // The notification causes one query for jobs.
    await pause(1000, new AbortController().signal)
    expect(ran).toEqual([])
    await db.$queryRaw`select 1 as unlocked from graphile_worker.force_unlock_workers(array['gone'])`
    await eventually(() => ran.length === 1)
  })

  it('runs a failed job again when its pause is over', async () => {
    await runner.stop(() => undefined)
    let tries = 0
    const { db, log } = plane.app.core
    runner = await JobRunner.start({
      databaseUrl: plane.config.databaseUrl,
      db,
      log,
      replicaId: 'due',
      replicaDeadAfterMs: 600_000,
      pools: [
        {
          concurrency: 1,
          tasks: {
            'test.fail': () => {
              tries += 1
              if (tries < 2) throw new Error('the first try fails')
            },
          },
        },
      ],
    })
    await add('failing', 0, 'test.fail')
    await eventually(() => tries === 2)
  })
})
