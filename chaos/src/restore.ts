/**
 * The last phase of a run: the database is copied, used, and replaced by the copy, as after a restore of a dump
 * (docs/operations.md, Restore). A copy of a database has every row of a `pg_dump`.
 */
import type pg from 'pg'
import type { Topology } from './parts/topology.js'
import { withClient } from './checks/database.js'

const database = 'phonerack'
const copy = 'phonerack_copy'

/** During the copy, no client may be connected to either database. */
async function replace(client: pg.Client, from: string, to: string): Promise<void> {
  for (const name of [from, to]) {
    const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [name])
    if (rowCount === 0) continue
    await client.query(`alter database ${name} with allow_connections false`)
    await client.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name])
  }
  try {
    await client.query(`drop database if exists ${to} with (force)`)
    await client.query(`create database ${to} template ${from}`)
  } finally {
    await client.query(`alter database ${from} with allow_connections true`)
  }
}

const administer = <T>(system: Topology, work: (client: pg.Client) => Promise<T>): Promise<T> =>
  withClient(system.postgres().url, work)

export const dump = (system: Topology): Promise<void> =>
  administer(system, (client) => replace(client, database, copy))

/** Restores the copy. All replicas must be stopped first, and are started afterwards. */
export async function restore(system: Topology): Promise<void> {
  const { controls } = system
  await Promise.all(controls.map((part) => part.stop()))
  await administer(system, async (client) => {
    await replace(client, copy, database)
    await client.query(`drop database ${copy}`)
  })
  await Promise.all(controls.map((part) => part.start()))
  await system.operator.restored()
}
