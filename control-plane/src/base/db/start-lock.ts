/**
 * Orders the starts of replicas. A replica that may replace the certificate authority starts alone, from its first read
 * to its first heartbeat, so that starting replicas always see each other.
 */
import pg from 'pg'

/** Milliseconds to wait for other starts. */
const waitMs = 60_000

interface StartLock {
  release(): Promise<void>
}

/** @param isAlone false lets other starts run at the same time @throws Error if other starts take too long */
export async function takeStartLock(databaseUrl: string, isAlone: boolean): Promise<StartLock> {
  const client = new pg.Client({
    connectionString: databaseUrl,
    connectionTimeoutMillis: 10_000,
    // Postgres's own limit is shorter, so only an unresponsive server reaches this limit.
    query_timeout: waitMs + 5000,
    keepAlive: true,
    application_name: 'phonerack-start',
  })
  // The lock ends with its connection.
  client.on('error', () => undefined)
  try {
    await client.connect()
    // The setting is sent as a statement, as in `base/session-settings.ts`.
    await client.query(`set lock_timeout = ${waitMs}`)
    const take = isAlone ? 'pg_advisory_lock' : 'pg_advisory_lock_shared'
    await client.query(`select ${take}(hashtextextended('phonerack start', 0))`)
  } catch (error) {
    await client.end()
    throw error
  }
  return { release: () => client.end() }
}
