/** Limits attempts per address and per account. The counts are in Postgres, so that replicas share them. */
import { hashSecret } from '@phonerack/shared'
import { type Database } from '../../base/db/database.js'
import { siteOf } from '../../base/failure-limit/network.js'

export interface AttemptLimit {
  max: number
  /** Length of the window in seconds. */
  window: number
}

/** Limits wrong passwords of one account, from all addresses together. */
export const perAccount: AttemptLimit = { max: 10, window: 900 }

interface Row {
  count: number
  /** Seconds until the window ends. */
  left: number
}

/** Counts one attempt. Returns the seconds to wait if there were too many attempts; null within the limit. */
export async function countAttempt(
  db: Database,
  subject: string,
  { max, window }: AttemptLimit,
): Promise<number | null> {
  const [row] = await db.$queryRaw<Row[]>`
    insert into attempts as a (subject, count, ends_at)
    values (${hashSecret(subject)}, 1, now() + make_interval(secs => ${window}::int))
    on conflict (subject) do update set
      count = case when a.ends_at <= now() then 1 else least(a.count + 1, 1000000) end,
      ends_at = case when a.ends_at <= now() then excluded.ends_at else a.ends_at end
    returning count, greatest(1, ceil(extract(epoch from ends_at - now())))::int as left`
  if (!row) throw new Error('Postgres did not return the count of attempts')
  return row.count > max ? row.left : null
}

/**
 * Counts one attempt of a network and of its IPv6 /48, in which a subscriber may have 65,536 networks. Returns the same
 * as `countAttempt`. @param network from `networkOf` @param limit `maxOfSite`: the limit of attempts from the /48
 */
export async function countAttemptFrom(
  db: Database,
  what: string,
  network: string,
  { maxOfSite, ...limit }: AttemptLimit & { maxOfSite: number },
): Promise<number | null> {
  const seconds = await countAttempt(db, `${what} ${network}`, limit)
  const site = siteOf(network)
  if (seconds !== null || site === network) return seconds
  return countAttempt(db, `${what} ${site}`, { ...limit, max: maxOfSite })
}

export async function forgetAttempts(db: Database, subject: string): Promise<void> {
  await db.attempt.deleteMany({ where: { subject: hashSecret(subject) } })
}
