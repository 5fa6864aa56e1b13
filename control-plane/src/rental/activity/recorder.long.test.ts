// The recorder with a real Postgres that refuses rows, or does not answer.
import { Counters, createLogger, newId } from '@phonerack/shared'
import { beforeAll, expect, it } from 'vitest'
import { openDatabase, type OpenDatabase } from '../../base/db/database.js'
import { type Core } from '../../base/core/core.js'
import { eventually, useWorld, type Plane, type Tenant } from '../../testing/world.js'
import { BoundedQueue } from './queue.js'
import { createActivityRecorder } from './recorder.js'
import { type ActivityEntry } from './types.js'

const world = useWorld()
let plane: Plane
let tenant: Tenant
beforeAll(async () => {
  plane = await world.start()
  tenant = await plane.tenant()
})

/** A core with its own log lines and counters. */
function ownCore(database?: OpenDatabase) {
  const lines: { level: number; alarm?: string; count?: number }[] = []
  const log = createLogger('test', {
    write: (line) => lines.push(JSON.parse(line) as (typeof lines)[number]),
  })
  const counters = new Counters()
  const core: Core = { ...plane.app.core, log, counters, ...(database ? { db: database.db } : {}) }
  return { core, counters, lines }
}

const entry = (change: Partial<ActivityEntry> = {}): ActivityEntry => ({
  projectId: tenant.projectId,
  keyId: tenant.caller.keyId,
  requestId: newId('request'),
  at: new Date(),
  method: 'PUT',
  route: '/v1/phones/:id/files',
  phoneId: null,
  status: 200,
  code: null,
  ms: 1,
  summary: {},
  ...change,
})

const written = async (entries: readonly ActivityEntry[]): Promise<string[]> => {
  const rows = await plane.app.core.db.activity.findMany({
    where: { requestId: { in: entries.map(({ requestId }) => requestId) } },
    orderBy: { id: 'asc' },
  })
  return rows.map(({ requestId }) => requestId)
}

it('writes the other entries in order when the database refuses some, and raises one alarm', async () => {
  const { core, counters, lines } = ownCore()
  const recorder = createActivityRecorder(core)
  const bad: Partial<ActivityEntry>[] = [
    { summary: { path: 'a\0b' } },
    { summary: { path: 'a\ud800b' } },
    { route: 'a\0b' },
    { ms: 1e12 },
    { at: new Date(Number.NaN) },
    { projectId: 'proj_gone' },
  ]
  const good: ActivityEntry[] = []
  for (let index = 0; index < 1200; index += 1) {
    const broken = bad[index / 200]
    if (broken) recorder.record(entry(broken))
    const fine = entry()
    good.push(fine)
    recorder.record(fine)
  }
  await recorder.close()
  expect(await written(good)).toEqual(good.map(({ requestId }) => requestId))
  expect(counters.read('activity_rows_refused')).toBe(bad.length)
  expect(counters.read('activity_write_failures')).toBe(0)
  expect(lines.map(({ level, alarm }) => [level, alarm])).toEqual([[50, 'activity_rows_refused']])
})

it('keeps a bounded number of entries while Postgres does not answer, and writes them once Postgres answers', async () => {
  const nobody = new URL(plane.config.databaseUrl)
  nobody.port = '1'
  const away = openDatabase(nobody.href, 1)
  const { core, counters, lines } = ownCore(away)
  const recorder = createActivityRecorder(core)
  try {
    const entries = Array.from({ length: 10_400 }, () => entry())
    for (const each of entries) recorder.record(each)
    expect(counters.read('activity_rows_dropped')).toBe(400)
    await eventually(() => counters.read('activity_write_failures') >= 3)
    expect(lines.map(({ level, alarm }) => [level, alarm])).toEqual([
      [50, 'activity_rows_dropped'],
      [50, 'activity_write_failures'],
    ])
    Object.assign(core, { db: plane.app.core.db })
    await recorder.flush()
    const kept = await written(entries)
    expect(kept).toEqual(entries.slice(400).map(({ requestId }) => requestId))
    expect(counters.read('activity_rows_refused')).toBe(0)
  } finally {
    await recorder.close()
    await away.close()
  }
})

it('drops the oldest entries, even when unwritten ones return to the queue', () => {
  let dropped = 0
  const queue = new BoundedQueue<number>(5, (count) => (dropped += count))
  for (const each of [1, 2, 3, 4]) queue.push(each)
  const taken = queue.take(3)
  for (const each of [5, 6, 7]) queue.push(each)
  queue.putBack(taken)
  expect([dropped, queue.take(10), queue.size]).toEqual([2, [3, 4, 5, 6, 7], 0])
})
