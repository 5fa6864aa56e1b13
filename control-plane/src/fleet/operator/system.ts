/** The parts of the service and their state, for the operators' page about the system. */
import { type Core } from '../../base/core/core.js'
import { readService } from './hosts.js'

interface PostgresRow {
  version: string
  bytes: bigint
  connections: number
  maxConnections: number
}

/** Uses the connection pool of requests, so a failure shows that requests fail too. */
export async function readSystem(core: Core) {
  const { db, clock, rules } = core
  const [postgres] = await db.$queryRaw<PostgresRow[]>`select
    current_setting('server_version') as version, pg_database_size(current_database()) as bytes,
    (select count(*)::int from pg_stat_activity where datname = current_database()) as connections,
    current_setting('max_connections')::int as "maxConnections"`
  const { version: schema } = await db.schemaVersion.findUniqueOrThrow({ where: { id: 1 } })
  const replicas = await db.replica.findMany({ orderBy: { id: 'asc' } })
  const now = clock.now().getTime()
  return {
    service: await readService(core),
    postgres: {
      version: postgres?.version ?? null,
      size_bytes: Number(postgres?.bytes ?? 0),
      connections: postgres?.connections ?? 0,
      max_connections: postgres?.maxConnections ?? 0,
      schema,
    },
    replicas: replicas.map(({ id, beatAt }) => ({
      id,
      beat_at: beatAt.toISOString(),
      is_running: now - beatAt.getTime() < rules.replicaDeadAfterMs,
    })),
  }
}
