// Upgrades of the schema: which release serves which database, and what migrations may wait for. With real
// Postgres and a real process of the control plane.
import { mkdir, mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import pg from 'pg'
import { beforeAll, describe, expect, it } from 'vitest'
import { StartRefusal } from '../config/refusal.js'
import { startReplica } from '../../testing/replica.js'
import { eventually, useWorld, type Plane } from '../../testing/world.js'
import { applyMigrations } from './migrate.js'
import { schemaVersion } from './schema-version.js'

const world = useWorld()
let plane: Plane
beforeAll(async () => {
  plane = await world.start()
})

const setVersion = (version: number, servesFrom: number) =>
  plane.app.core.db
    .$executeRaw`update schema_version set version = ${version}::int, serves_from = ${servesFrom}::int`

describe('the schema version', () => {
  it('is the one that this release knows once all migrations are applied', async () => {
    const rows = await plane.app.core.db.$queryRaw`select version from schema_version`
    expect(rows).toEqual([{ version: schemaVersion }])
  })

  it('lets an older release start as long as the newer one allows it, and refuses it afterwards', async () => {
    try {
      await setVersion(schemaVersion + 2, schemaVersion)
      await expect(applyMigrations(plane.config.databaseUrl)).resolves.toEqual([])
      await setVersion(schemaVersion + 2, schemaVersion + 1)
      await expect(applyMigrations(plane.config.databaseUrl)).rejects.toThrow(StartRefusal)
      await expect(startReplica(plane, 'older')).rejects.toThrow(
        /exit code 78.*A newer release has migrated this database.*git pull/s,
      )
    } finally {
      await setVersion(schemaVersion, schemaVersion)
    }
  })
})

describe('a migration', () => {
  it('lets others use a table whose lock it cannot get, and retries', async () => {
    const dir = await mkdtemp(path.join(world.dir, 'migrations-'))
    await mkdir(path.join(dir, '29990101000000_slow'))
    const sql = "SET LOCAL lock_timeout = '300ms';\nALTER TABLE hosts ADD COLUMN for_this_test integer;\n"
    await writeFile(path.join(dir, '29990101000000_slow', 'migration.sql'), sql)
    const holder = new pg.Client({ connectionString: plane.config.databaseUrl })
    await holder.connect()
    try {
      await holder.query('begin')
      await holder.query('lock table hosts in access share mode')
      const applying = applyMigrations(plane.config.databaseUrl, dir)
      // Each of these ends only if the migration gives up its place in the queue for the lock.
      const failed = () => plane.app.core.db.$queryRaw<{ n: number }[]>`select count(*)::int as n from hosts`
      for (let reads = 0; reads < 5; reads += 1) {
        await waiting()
        expect(await failed()).toHaveLength(1)
      }
      await holder.query('commit')
      await expect(applying).resolves.toEqual(['29990101000000_slow'])
    } finally {
      await holder.end()
    }
  })

  const waiting = () =>
    eventually(async () => {
      const rows = await plane.app.core.db.$queryRaw<{ n: number }[]>`select count(*)::int as n
        from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
      return rows[0]?.n === 1
    })

  /** The first migration to which the rules apply. */
  const first = '20261122181000'
  /** Migrations that were merged while the rules were written, and do not follow them. */
  const earlier = new Set(['20261122183000_drain'])
  const migrations = path.resolve(import.meta.dirname, '../../../prisma/migrations')

  it('limits its wait for a lock, and names the releases that it excludes', async () => {
    const names = (await readdir(migrations)).filter(
      (name) => /^\d/.test(name) && name >= first && !earlier.has(name),
    )
    expect(names.length).toBeGreaterThan(1)
    for (const name of names) {
      const sql = (await readFile(path.join(migrations, name, 'migration.sql'), 'utf8')).replaceAll(
        /--.*$/gm,
        '',
      )
      expect(sql.trim(), name).toMatch(/^SET LOCAL lock_timeout = '\d+m?s';/)
      expect(isWell(sql), `${name} breaks earlier releases: it must raise schema_version.serves_from`).toBe(
        true,
      )
    }
  })

  const contracts =
    /\bDROP\s+(TABLE|COLUMN|VIEW|FUNCTION)\b|\bRENAME\b|\bALTER\s+COLUMN\s+\S+\s+(SET\s+NOT\s+NULL|(SET\s+DATA\s+)?TYPE)\b/i
  const isWell = (sql: string): boolean => !contracts.test(sql) || /\bserves_from\s*=/i.test(sql)

  it.each([
    ['ALTER TABLE a ADD COLUMN b text;', true],
    ['ALTER TABLE a DROP COLUMN b;', false],
    ['ALTER TABLE a DROP COLUMN b; UPDATE schema_version SET version = 7, serves_from = 6;', true],
    ['ALTER TABLE a ALTER COLUMN b SET NOT NULL;', false],
    ['ALTER TABLE a RENAME b TO c;', false],
    ['ALTER TABLE a ALTER COLUMN b TYPE bigint;', false],
  ])('%s fits the rules: %s', (sql, fits) => {
    expect(isWell(sql)).toBe(fits)
  })
})
