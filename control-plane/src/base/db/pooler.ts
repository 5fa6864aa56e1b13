/** Refuses a connection pooler, such as PgBouncer, that does not keep the connection of a session. */
import pg from 'pg'
import { StartRefusal } from '../config/refusal.js'

/** A pooler shares a process of Postgres if two open connections reach the same process. */
const rounds = 5

/** @throws StartRefusal if a pooler gives each transaction or statement a different connection to Postgres */
export async function refuseTransactionPooling(databaseUrl: string): Promise<void> {
  const open = [1, 2].map(() => {
    const client = new pg.Client({
      connectionString: databaseUrl,
      connectionTimeoutMillis: 10_000,
      query_timeout: 10_000,
      application_name: 'phonerack-start',
    })
    client.on('error', () => undefined)
    return { client, seen: new Set<number>() }
  })
  try {
    for (const { client } of open) await client.connect()
    for (let round = 0; round < rounds; round += 1)
      for (const { client, seen } of open) {
        const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
        for (const { pid } of rows) seen.add(pid)
      }
  } finally {
    await Promise.allSettled(open.map(({ client }) => client.end()))
  }
  const processes = open.flatMap(({ seen }) => [...seen])
  if (processes.length === open.length && new Set(processes).size === open.length) return
  throw new StartRefusal(
    'DATABASE_URL leads to a connection pooler that does not keep the connection of a session, which locks, notifications and prepared statements need: set `pool_mode = session` in PgBouncer, or connect to Postgres directly',
  )
}
