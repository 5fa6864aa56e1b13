/**
 * Keeps a release off a database that a newer release has migrated beyond what the older one can
 * serve. Migrations write the version (docs/decisions/0193).
 */
import type pg from 'pg'
import { StartRefusal } from '../config/refusal.js'

/** The version that this release's last migration writes. */
export const schemaVersion = 2

/** Must be called before migrations are applied. @throws StartRefusal */
export async function checkSchemaVersion(client: pg.Client): Promise<void> {
  const tables = await client.query<{ found: boolean }>(
    `select to_regclass('schema_version') is not null as found`,
  )
  if (tables.rows[0]?.found !== true) return
  const { rows } = await client.query<{ version: number; serves_from: number }>(
    'select version, serves_from from schema_version',
  )
  const [row] = rows
  if (!row)
    throw new StartRefusal('The table "schema_version" has no row: restore the database from a backup.')
  if (row.serves_from <= schemaVersion) return
  throw new StartRefusal(
    `A newer release has migrated this database: its schema has version ${row.version}, which releases that know version ${row.serves_from} or newer can serve, and this release knows ${schemaVersion}. ` +
      'Start the newer release on this machine too (`git pull`, then `./scripts/up`), or restore the backup from before the upgrade. ' +
      'See "Upgrades" in docs/operations.md.',
  )
}
