/** For tests: a data directory and a database with the parts that backups read. */
import { randomBytes } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import pg from 'pg'
import { BackupKey } from '../backup/key.js'
import { startPostgres } from '../postgres/index.js'

export const seed = 'SAAEXAMPLEOFASEEDTHATNOBODYMAYREAD'

/** `service.key`, the keys of NATS and the secrets of `up`. */
export function makeDataFolder(data: string): BackupKey {
  const key = `-----BEGIN PHONERACK SERVICE KEY-----\n${randomBytes(32).toString('base64')}\n-----END PHONERACK SERVICE KEY-----\n`
  const files = {
    'pki/service.key': key,
    'nats/account.seed': seed,
    'nats/control-plane.creds': `creds with ${seed}`,
    'nats/operator.seed': `operator ${seed}`,
    'nats/nats.conf': '{}',
    'nats/nats.pid.json': '{}',
    'secrets.json': '{"operator_token":"pro_secret"}',
    'replica.json': '{}',
  }
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(data, name)), { recursive: true, mode: 0o700 })
    writeFileSync(path.join(data, name), text, { mode: 0o600 })
  }
  return new BackupKey(key, 'test')
}

export async function run<T extends pg.QueryResultRow>(url: string, text: string): Promise<T[]> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 30_000 })
  await client.connect()
  try {
    return (await client.query<T>(text)).rows
  } finally {
    await client.end()
  }
}

/** The tables of the control plane that backups read or change, and one with 1,000 rows. */
export async function makeTables(url: string, key: BackupKey): Promise<void> {
  await run(
    url,
    `create table _prisma_migrations (migration_name text, finished_at timestamptz);
     insert into _prisma_migrations values ('20261120000000_tables', now());
     create table installation (id int primary key, service_key_id text);
     insert into installation values (1, '${key.id}');
     create table database_epoch (id int primary key, epoch text, changed_at timestamptz);
     insert into database_epoch values (1, 'first', now());
     create table listened (id int primary key, total_ms bigint, counts_from_ms bigint);
     insert into listened values (1, 5000, 0);
     create table uploads (storage_id text, is_stored boolean, size_bytes bigint, sha256 text);
     insert into uploads values ('sto_a', true, 1000, 'aa'), ('sto_gone', false, 1, 'bb');
     create table recordings (storage_id text, is_stored boolean, size_bytes bigint, sha256 text);
     insert into recordings values ('sto_b', true, 2000, 'cc');
     create table library_files (id text, facts jsonb, size_bytes bigint, sha256 text);
     insert into library_files values ('sto_c', '{}', 3000, 'dd'), ('sto_arriving', null, null, null);
     create table rows (n int primary key, pad text);
     insert into rows select n, repeat('x', 500) from generate_series(1, 1000) n`,
  )
}

export interface State extends Record<string, unknown> {
  rows: number
  epoch: string
  counts: number
}

/** Starts the restored Postgres and reads it. */
export async function stateOf(restored: string): Promise<State | undefined> {
  const own = await startPostgres({ dir: path.join(restored, 'postgres') })
  try {
    const [state] = await run<State>(
      own.urlOf('phonerack'),
      `select (select count(*)::int from rows) as rows, (select epoch from database_epoch) as epoch,
              (select counts_from_ms::int from listened) as counts`,
    )
    // Reads every index and page.
    for (const text of ['vacuum full', 'reindex database phonerack']) await run(own.urlOf('phonerack'), text)
    return state
  } finally {
    await own.stop()
  }
}
