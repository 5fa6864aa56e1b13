/** For tests that hold a lock while several transactions of the control plane wait for it. */
import pg from 'pg'
import { eventually, type Plane } from './world.js'

/**
 * Counts the control plane's connections that wait for a lock. `client` may be in a transaction. Postgres
 * keeps a transaction's view of the activity until its end, so the view is cleared first.
 * @param like an SQL `like` pattern of the statements that are counted
 */
export async function countLockWaits(client: pg.Client, like = '%'): Promise<number> {
  await client.query('select pg_stat_clear_snapshot()')
  const { rows } = await client.query<{ count: string }>(
    `select count(*) from pg_stat_activity where datname = current_database()
      and application_name = 'phonerack' and wait_event_type = 'Lock' and query like $1`,
    [like],
  )
  return Number(rows[0]?.count)
}

interface HeldRow {
  table: 'devices' | 'phones' | 'projects'
  id: string
  /** A statement with the ID as `$1`, which runs before the row is free. */
  change?: string
  /** A pattern of the statements that wait. */
  like?: string
}

/** Holds a row until every call that `racing` starts waits for a lock. */
export async function duringLock<T>(
  { config }: Plane,
  { table, id, change, like }: HeldRow,
  racing: () => Promise<T>[],
): Promise<T[]> {
  const holder = new pg.Client({ connectionString: config.databaseUrl })
  await holder.connect()
  try {
    await holder.query('begin')
    await holder.query(`select 1 from ${table} where id = $1 for update`, [id])
    const running = racing()
    await eventually(async () => (await countLockWaits(holder, like)) >= running.length)
    if (change !== undefined) await holder.query(change, [id])
    await holder.query('commit')
    return await Promise.all(running)
  } finally {
    await holder.end()
  }
}
