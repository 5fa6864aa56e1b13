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
import { StartRefusal } from '../config/refusal.js'
import { checkSchemaVersion } from './schema-version.js'

/** The key that `prisma migrate` locks. */
const advisoryLock = 72707369

const ownMigrations = fileURLToPath(new URL('../../../prisma/migrations', import.meta.url))

interface Applied {
  migration_name: string
  checksum: string
  finished_at: Date | null
}

/**
 * Applies missing migrations and returns their names. Several processes may call it concurrently. A role without rights
 * to change the schema may call it if no migration is missing. @throws StartRefusal if a newer
 * release has migrated the database, or this role cannot apply missing migrations; Error if an applied migration was
 * edited, or a migration failed earlier
 */
export async function applyMigrations(databaseUrl: string, dir: string = ownMigrations): Promise<string[]> {
  const client = new pg.Client({ connectionString: databaseUrl, connectionTimeoutMillis: 10_000 })
  await client.connect()
  try {
    await checkSchemaVersion(client)
    const missing = await missingMigrations(client, dir)
    return missing.length === 0 ? [] : await applyMissing(client, dir).catch(explainRights(missing))
  } finally {
    await client.end()
  }
}

async function applyMissing(client: pg.Client, dir: string): Promise<string[]> {
  await client.query('select pg_advisory_lock($1)', [advisoryLock])
  await checkSchemaVersion(client)
  await client.query(`create table if not exists _prisma_migrations (
      id varchar(36) primary key not null, checksum varchar(64) not null, finished_at timestamptz,
      migration_name varchar(255) not null, logs text, rolled_back_at timestamptz,
      started_at timestamptz not null default now(), applied_steps_count integer not null default 0)`)
  const missing = await missingMigrations(client, dir)
  for (const migration of missing) await applyOne(client, migration)
  return missing.map(({ name }) => name)
}

/** insufficient_privilege */
const notAllowed = '42501'

const explainRights =
  (missing: readonly Migration[]) =>
  (error: unknown): never => {
    if (!(error instanceof pg.DatabaseError) || error.code !== notAllowed) throw error
    throw new StartRefusal(
      `The role of DATABASE_URL cannot change the schema, and the database lacks ${missing.map(({ name }) => name).join(', ')}: ` +
        'run `phonerack-control-plane migrate --role NAME` of this release with the DATABASE_URL of its owner.',
      { cause: error },
    )
  }

interface Migration {
  name: string
  sql: string
  checksum: string
}

/** @throws Error if an applied migration was edited, or a migration failed earlier */
async function missingMigrations(client: pg.Client, dir: string): Promise<Migration[]> {
  const applied = await appliedMigrations(client)
  const missing: Migration[] = []
  for (const name of await migrationNames(dir)) {
    const sql = await readFile(path.join(dir, name, 'migration.sql'), 'utf8')
    const checksum = createHash('sha256').update(sql).digest('hex')
    const old = applied.get(name)
    if (!old) missing.push({ name, sql, checksum })
    else if (!old.finished_at) throw new Error(`the migration ${name} failed earlier`)
    else if (old.checksum !== checksum)
      throw new Error(`the migration ${name} was edited after it was applied`)
  }
  return missing
}

async function appliedMigrations(client: pg.Client): Promise<Map<string, Applied>> {
  const tables = await client.query<{ found: boolean }>(
    `select to_regclass('_prisma_migrations') is not null as found`,
  )
  if (tables.rows[0]?.found !== true) return new Map()
  const { rows } = await client.query<Applied>(
    'select migration_name, checksum, finished_at from _prisma_migrations where rolled_back_at is null',
  )
  return new Map(rows.map((row) => [row.migration_name, row]))
}

async function migrationNames(dir: string): Promise<string[]> {
  const entries = await readdir(dir, { withFileTypes: true })
  return entries
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort()
}

async function applyOne(client: pg.Client, migration: Migration): Promise<void> {
  for (let attempt = 1; !(await tryOne(client, migration)); attempt += 1) {
    if (attempt === lockAttempts)
      throw new Error(
        `the migration ${migration.name} did not get a lock in ${lockAttempts} attempts: start again when fewer requests or backups run`,
      )
    await pause(lockPauseMs, new AbortController().signal)
  }
}

/**
 * Attempts of a migration that does not get a lock within its `lock_timeout`, and milliseconds between two attempts. In
 * these pauses, the requests that wait behind the migration run.
 */
const [lockAttempts, lockPauseMs] = [20, 500]

/** Returns false if the migration did not get a lock. */
async function tryOne(client: pg.Client, { name, sql, checksum }: Migration): Promise<boolean> {
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
