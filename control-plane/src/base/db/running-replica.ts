/** Finds another running replica of this database: some changes of the configuration must wait until it ends. */
import { type Config } from '../config/config.js'
import { type Reader } from './database.js'

/** The advisory lock (its text is hashed) that a running replica holds on its ID: `queue/replica-claim.ts`. */
export const replicaLock = (id: string): string => `phonerack replica ${id}`

/** Returns the ID of a running replica, or null. Another process with the ID of this replica counts too. */
export async function runningReplica(
  db: Reader,
  { replicaId, rules }: Pick<Config, 'replicaId' | 'rules'>,
): Promise<string | null> {
  // The row of this ID may come from an earlier process, so only the lock proves a running process.
  const [own] = await db.$queryRaw<{ isFree: boolean }[]>`
    select pg_try_advisory_xact_lock(hashtextextended(${replicaLock(replicaId)}, 0)) as "isFree"`
  if (own?.isFree === false) return replicaId
  const deadAfter = rules.replicaDeadAfterMs / 1000
  const rows = await db.$queryRaw<{ id: string }[]>`select id from replicas
    where id <> ${replicaId} and beat_at > now() - make_interval(secs => ${deadAfter}::float8)
    order by id limit 1`
  return rows[0]?.id ?? null
}
