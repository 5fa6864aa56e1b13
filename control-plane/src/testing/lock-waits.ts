/** For tests that hold a lock: how many of the control plane's connections wait for one. */
import type pg from 'pg'

/**
 * Counts the control plane's connections that wait for a lock. `client` may be in a transaction: Postgres
 * keeps its view of the activity until the end of a transaction, so the view is cleared first.
 * @param like a pattern of the statements that are counted, as of SQL's `like`
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
