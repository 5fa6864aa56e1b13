// The queries that run before nearly every request are planned once per connection, and no others
// are kept there. With real Postgres.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startWorld, type Plane, type World } from '../testing/world.js'
import { openDatabase } from './database.js'

let world: World
let plane: Plane
beforeAll(async () => {
  world = startWorld()
  plane = await world.start()
})
afterAll(() => world.stop())

it('keeps each marked text prepared once, and no other', async () => {
  const opened = openDatabase(plane.config.databaseUrl, 1)
  const { db } = opened
  try {
    const projects = (id: string) =>
      db.$queryRaw<{ id: string }[]>`/* prepared */ select id from projects where id = ${id}`
    const { projectId } = await plane.tenant()
    expect(await projects(projectId)).toEqual([{ id: projectId }])
    expect(await projects('prj_other')).toEqual([])
    await db.$queryRaw`/* prepared */ select 2 as two`
    await db.$queryRaw`select 3 as three`
    const kept = await db.$queryRaw<{ statement: string; runs: number }[]>`select statement,
      (generic_plans + custom_plans)::int as runs from pg_prepared_statements where name <> '' order by name`
    expect(kept.map(({ statement, runs }) => [statement.replace(/\$1/, '?'), runs])).toEqual([
      ['/* prepared */ select id from projects where id = ?', 2],
      ['/* prepared */ select 2 as two', 1],
    ])
  } finally {
    await opened.close()
  }
})
