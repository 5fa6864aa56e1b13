// Each connection plans the queries that run before nearly every request only once, and keeps no other plans. With real
// Postgres.
import { beforeAll, expect, it } from 'vitest'
import pg from 'pg'
import { eventually, useWorld, type Plane } from '../../testing/world.js'
import { Prisma } from '../../gen/prisma/client.js'
import { inTransaction, openDatabase } from './database.js'
import { sqlStateOf } from './sql-state.js'

const world = useWorld()
let plane: Plane
beforeAll(async () => {
  plane = await world.start()
})

it('keeps each text of a prepared read once, and no other', async () => {
  const opened = openDatabase(plane.config.databaseUrl, 1)
  const { db, read } = opened
  try {
    const projects = (id: string) =>
      read<{ id: string }>(Prisma.sql`select id from projects where id = ${id}`)
    const { projectId } = await plane.tenant()
    expect(await projects(projectId)).toEqual([{ id: projectId }])
    expect(await projects('prj_other')).toEqual([])
    await read(Prisma.sql`select 2 as two`)
    await db.$queryRaw`select 3 as three`
    const kept = await db.$queryRaw<{ statement: string; runs: number }[]>`select statement,
      (generic_plans + custom_plans)::int as runs from pg_prepared_statements where name <> '' order by name`
    expect(kept.map(({ statement, runs }) => [statement.replace(/\$1/, '?'), runs])).toEqual([
      ['select id from projects where id = ?', 2],
      ['select 2 as two', 1],
    ])
  } finally {
    await opened.close()
  }
})

it('reads each type like Prisma', async () => {
  const { db, read } = plane.app.core
  const at = new Date('2026-02-28T23:59:59.987Z')
  const query = Prisma.sql`select 9007199254740993::int8 as int8, 7::int4 as int4, ${'ä'}::text as text, true as bool,
    ${at}::timestamptz as at, '{"a": [1, null]}'::jsonb as json, array['x', 'y,z'] as list, null::timestamptz as none`
  const [row] = await read(query)
  expect(row).toEqual((await db.$queryRaw<unknown[]>(query))[0])
  expect(row).toMatchObject({ int8: 9_007_199_254_740_993n, at, json: { a: [1, null] }, list: ['x', 'y,z'] })
})

it('reports a failed prepared read with its SQLSTATE, and reads again on the same connection', async () => {
  const opened = openDatabase(plane.config.databaseUrl, 1)
  try {
    const divide = (by: string) => opened.read(Prisma.sql`select 1 / ${by}::int as result`)
    const error: unknown = await divide('0').catch((caught: unknown) => caught)
    expect(sqlStateOf(error)).toBe('22012')
    expect(await divide('1')).toEqual([{ result: 1 }])
  } finally {
    await opened.close()
  }
})

it('returns no connection with an open transaction to the pool when a query reaches its timeout', async () => {
  const opened = openDatabase(plane.config.databaseUrl, 1, 300)
  const holder = new pg.Client({ connectionString: plane.config.databaseUrl })
  await holder.connect()
  try {
    await holder.query('select pg_advisory_lock(202)')
    const stuck = inTransaction(opened.db, async (tx) => {
      await tx.$queryRaw`select pg_current_xact_id()::text`
      await tx.$queryRaw`select 1 as held from pg_advisory_xact_lock(202)`
    })
    await expect(stuck).rejects.toThrow(/timeout|timed out/i)
    await holder.query('select pg_advisory_unlock(202)')
    let open: unknown
    // On a busy machine this query can reach the short timeout too.
    await eventually(async () => {
      const rows = await opened.db.$queryRaw<
        { xact: string | null }[]
      >`select pg_current_xact_id_if_assigned()::text as xact`.catch(() => null)
      open = rows?.[0]?.xact
      return rows !== null
    })
    expect(open).toBeNull()
  } finally {
    await holder.end()
    await opened.close()
  }
})
