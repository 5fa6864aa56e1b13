/**
 * Counts the time in which replicas listened to hosts, in the database, by their monotonic clocks.
 * A host is lost only after enough silence by this count as well: an old dump holds an old count,
 * so neither its age nor a step of Postgres's clock counts as silence. The count survives restarts
 * of replicas.
 */
import { ownNow } from '@phonerack/shared'
import { type Database } from '../../base/db/database.js'
import { Prisma } from '../../gen/prisma/client.js'
import { type Core } from '../../base/core/core.js'

export class ListenedTime {
  /** The total that this replica last read or wrote, and when. Null while the replica does not listen. */
  private known: { total: bigint; at: number } | null = null

  /** @param now a monotonic clock in milliseconds */
  constructor(private readonly now: () => number = ownNow) {}

  /** Excludes the time from now until the next `count`. */
  pause(): void {
    this.known = null
  }

  /**
   * Adds the time since the last call, unless another replica has added to the total in the meantime, so that
   * no time counts twice.
   */
  async count(db: Pick<Database, '$queryRaw'>): Promise<void> {
    const { known } = this
    const elapsed = known ? Math.max(0, Math.floor(this.now() - known.at)) : 0
    const rows = await db.$queryRaw<{ total: bigint; isAdded: boolean }[]>`with added as (
        update listened set total_ms = total_ms + ${elapsed}
        where id = 1 and total_ms = ${known?.total ?? null}::bigint returning total_ms)
      select coalesce(added.total_ms, listened.total_ms) as total, added.total_ms is not null as "isAdded"
      from listened left join added on true`
    const [row] = rows
    if (row?.isAdded && known) this.known = { total: row.total, at: known.at + elapsed }
    else this.known = row ? { total: row.total, at: this.now() } : null
  }
}

/**
 * True when replicas have listened for `ms` since the total in the column, and since the last
 * restore.
 */
export const silentFor = (column: Prisma.Sql, ms: number): Prisma.Sql =>
  Prisma.sql`(select total_ms - greatest(${column}, counts_from_ms) >= ${ms} from listened)`

export const isHostLostForGood = ({ db, clock, rules }: Core, hostId: string): Promise<boolean> =>
  isHostSilent(db, hostId, clock.now(), rules.lostForGoodAfterMs)

/** Whether no heartbeat of the host arrived for `ms`, by Postgres's time and by the time in which replicas listened. */
export async function isHostSilent(
  db: Pick<Database, '$queryRaw'>,
  hostId: string,
  now: Date,
  ms: number,
): Promise<boolean> {
  const since = new Date(now.getTime() - ms)
  const rows = await db.$queryRaw<{ id: string }[]>`select id from hosts where id = ${hostId}
    and (last_seen_at is null or last_seen_at < ${since}) and ${silentFor(Prisma.sql`heard_at_listened_ms`, ms)}`
  return rows.length > 0
}
