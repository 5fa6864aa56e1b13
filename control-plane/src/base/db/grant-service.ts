/**
 * Rights of a role that serves requests and cannot change the schema. The owner of the schema grants them after its
 * migrations.
 */
import pg from 'pg'

/** The schemas of the control plane and of graphile-worker. */
const schemas = ['public', 'graphile_worker']

/** Tables that only migrations write. */
const recorded = ['_prisma_migrations', 'schema_version']

/**
 * The function can be repeated. @throws Error of Postgres if the role does not exist, or the current role does not own
 * the schema
 */
export async function grantService(databaseUrl: string, role: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl, connectionTimeoutMillis: 10_000 })
  await client.connect()
  try {
    const to = pg.escapeIdentifier(role)
    await client.query('begin')
    for (const schema of schemas) {
      await client.query(`grant usage on schema ${schema} to ${to}`)
      for (const [kind, rights] of [
        ['tables', 'select, insert, update, delete'],
        ['sequences', 'usage, select, update'],
      ] as const) {
        await client.query(`grant ${rights} on all ${kind} in schema ${schema} to ${to}`)
        // These rights apply to objects that later migrations create.
        await client.query(`alter default privileges in schema ${schema} grant ${rights} on ${kind} to ${to}`)
      }
    }
    for (const table of recorded)
      await client.query(`revoke insert, update, delete on public.${table} from ${to}`)
    await openRows(client, to)
    await client.query('commit')
  } finally {
    await client.end()
  }
}

/**
 * The tables of graphile-worker have row-level security without a policy, which hides rows from all roles except the
 * owner.
 */
async function openRows(client: pg.Client, to: string): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `select quote_ident(relname) as name from pg_class
     where relnamespace = 'graphile_worker'::regnamespace and relkind = 'r' and relrowsecurity`,
  )
  for (const { name } of rows) {
    await client.query(`drop policy if exists phonerack_service on graphile_worker.${name}`)
    await client.query(
      `create policy phonerack_service on graphile_worker.${name} to ${to} using (true) with check (true)`,
    )
  }
}
