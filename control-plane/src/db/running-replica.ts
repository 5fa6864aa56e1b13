/** Another replica that runs on this database: some changes of the configuration wait for its end. */
import { type Config } from '../config/config.js'
import { type Reader } from './database.js'

/** Its ID, or null. */
export async function runningReplica(
  db: Reader,
  { replicaId, rules }: Pick<Config, 'replicaId' | 'rules'>,
): Promise<string | null> {
  const deadAfter = rules.replicaDeadAfterMs / 1000
  const rows = await db.$queryRaw<{ id: string }[]>`select id from replicas
    where id <> ${replicaId} and beat_at > now() - make_interval(secs => ${deadAfter}::float8)
    order by id limit 1`
  return rows[0]?.id ?? null
}
