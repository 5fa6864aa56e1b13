/**
 * Orders the starts of replicas: one that may replace the certificate authority is alone from its
 * first read to its first beat, so that it sees each other replica that runs, and others see it.
 */
import pg from 'pg'

/** Milliseconds to wait for other starts. */
const waitMs = 60_000

export interface StartLock {
  release(): Promise<void>
}

/** @param isAlone false: other starts may run at the same time @throws Error when others take too long */
export async function takeStartLock(databaseUrl: string, isAlone: boolean): Promise<StartLock> {
  const client = new pg.Client({
    connectionString: databaseUrl,
    connectionTimeoutMillis: 10_000,
    // Later than Postgres's own limit: only a server that does not answer at all reaches it.
    query_timeout: waitMs + 5000,
    keepAlive: true,
    application_name: 'phonerack-start',
  })
  // The lock ends with its connection.
  client.on('error', () => undefined)
  try {
    await client.connect()
    // By a statement, as in `base/session-settings.ts`.
    await client.query(`set lock_timeout = ${waitMs}`)
    const take = isAlone ? 'pg_advisory_lock' : 'pg_advisory_lock_shared'
    await client.query(`select ${take}(hashtextextended('phonerack start', 0))`)
  } catch (error) {
    await client.end()
    throw error
  }
  return { release: () => client.end() }
}
