/** Phones that are only rows in the database, for the bench of the console. */
import { newId } from '@phonerack/shared'
import pg from 'pg'
import { databaseUrl } from '@phonerack/e2e/system/database.js'
import { type System } from '@phonerack/e2e/system/system.js'

/** @param names of the phones, the newest first */
export async function insertPhones(
  system: System,
  projectId: string,
  names: readonly string[],
): Promise<void> {
  const client = new pg.Client({ connectionString: await databaseUrl(system) })
  await client.connect()
  try {
    const ids = names.map(() => newId('phone'))
    await client.query(
      `insert into phones (id, project_id, key_id, name, status, metadata, created_at, has_data)
        select id, $2, 'bench', name, 'parked', '{"team":"checkout","purpose":"bench"}',
          now() - n * interval '1 second', true
        from unnest($1::text[], $3::text[]) with ordinality as of (id, name, n)`,
      [ids, projectId, names],
    )
  } finally {
    await client.end()
  }
}
