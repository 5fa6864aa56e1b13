/**
 * Applies prisma/migrations at start-up and in tests, with the bookkeeping of Prisma's CLI (table
 * `_prisma_migrations`, SHA-256 checksums, the same advisory lock), so that either can continue
 * after the other.
 */
import { createHash, randomUUID } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { pause } from '@phonerack/shared'
import pg from 'pg'
import { checkSchemaVersion } from './schema-version.js'

/** The key that `prisma migrate` locks. */
const advisoryLock = 72707369

const ownMigrations = fileURLToPath(new URL('../../prisma/migrations', import.meta.url))

interface Applied {
  migration_name: string
  checksum: string
  finished_at: Date | null
}

/**
 * Applies missing migrations and returns their names. Several processes may call it concurrently.
 * @throws StartRefusal when a newer release has migrated the database; Error when an applied
 * migration was edited, or one failed earlier
 */
export async function applyMigrations(databaseUrl: string, dir: string = ownMigrations): Promise<string[]> {
  const client = new pg.Client({ connectionString: databaseUrl, connectionTimeoutMillis: 10_000 })
  await client.connect()
  try {
    await client.query('select pg_advisory_lock($1)', [advisoryLock])
    await checkSchemaVersion(client)
    await client.query(`create table if not exists _prisma_migrations (
      id varchar(36) primary key not null, checksum varchar(64) not null, finished_at timestamptz,
      migration_name varchar(255) not null, logs text, rolled_back_at timestamptz,
      started_at timestamptz not null default now(), applied_steps_count integer not null default 0)`)
    const rows = await client.query<Applied>(
      'select migration_name, checksum, finished_at from _prisma_migrations where rolled_back_at is null',
    )
    const applied = new Map(rows.rows.map((row) => [row.migration_name, row]))
    const done: string[] = []
    for (const name of await migrationNames(dir)) {
      const sql = await readFile(path.join(dir, name, 'migration.sql'), 'utf8')
      if (await applyOne(client, name, sql, applied.get(name))) done.push(name)
    }
    return done
  } finally {
    await client.end()
  }
}

async function migrationNames(dir: string): Promise<string[]> {
  const entries = await readdir(dir, { withFileTypes: true })
  return entries
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort()
}

async function applyOne(
  client: pg.Client,
  name: string,
  sql: string,
  old: Applied | undefined,
): Promise<boolean> {
  const checksum = createHash('sha256').update(sql).digest('hex')
  if (old) {
    if (!old.finished_at) throw new Error(`the migration ${name} failed earlier`)
    if (old.checksum !== checksum) throw new Error(`the migration ${name} was edited after it was applied`)
    return false
  }
  for (let attempt = 1; !(await tryOne(client, name, sql, checksum)); attempt += 1) {
    if (attempt === lockAttempts)
      throw new Error(
        `the migration ${name} did not get a lock in ${lockAttempts} attempts: start again when fewer requests or backups run`,
      )
    await pause(lockPauseMs, new AbortController().signal)
  }
  return true
}

/**
 * Attempts of a migration that does not get a lock within its `lock_timeout`, and milliseconds between
 * them. Between them, the requests that wait behind it run.
 */
const [lockAttempts, lockPauseMs] = [20, 500]

/** False when it did not get a lock. */
async function tryOne(client: pg.Client, name: string, sql: string, checksum: string): Promise<boolean> {
  const id = randomUUID()
  try {
    // The migration and its record commit together, so that a crash leaves neither.
    await client.query('begin')
    await client.query(`set local lock_timeout = '5s'`)
    await client.query('insert into _prisma_migrations (id, checksum, migration_name) values ($1, $2, $3)', [
      id,
      checksum,
      name,
    ])
    await client.query(sql)
    await client.query(
      'update _prisma_migrations set finished_at = now(), applied_steps_count = 1 where id = $1',
      [id],
    )
    await client.query('commit')
    return true
  } catch (error) {
    if (!(error instanceof pg.DatabaseError) || !lockLost.has(error.code ?? '')) throw error
    await client.query('rollback')
    return false
  }
}

/** lock_not_available, deadlock_detected */
const lockLost = new Set(['55P03', '40P01'])
