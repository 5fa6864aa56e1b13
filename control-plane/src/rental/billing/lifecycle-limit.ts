/**
 * The exact limit of lifecycle requests per project and calendar minute across all replicas, kept in a
 * counter row. Refused creates, starts and renewals count only against creates, starts and renewals, so a
 * client that repeats them can still park and delete its phones.
 */
import { type RawTx } from '../../base/db/raw-transaction.js'
import { minuteStart, secondsToNextMinute } from './calendar.js'

interface LifecycleLimit {
  projectId: string
  /** Requests per minute. */
  limit: number
  now: Date
}

/**
 * Counts one request. Returns null within the limit, otherwise the seconds until the next minute without
 * counting. The count commits with the transaction, so a caller that refuses the request later must return
 * instead of throwing.
 * @param frees true for a park or delete
 */
export async function countLifecycleRequest(
  tx: RawTx,
  { projectId, limit, now }: LifecycleLimit,
  frees: boolean,
): Promise<number | null> {
  const counted = await tx.$queryRaw<
    { count: number }[]
  >`insert into lifecycle_counts (project_id, minute, count)
    values (${projectId}, ${minuteStart(now)}, 1)
    on conflict (project_id, minute) do update set count = lifecycle_counts.count + 1
      where lifecycle_counts.count - (case when ${frees} then lifecycle_counts.refused else 0 end) < ${limit}
    returning count`
  return counted.length > 0 ? null : secondsToNextMinute(now)
}

/**
 * Counts a create, start or renewal when `admit` calls its argument, and marks the request as refused when
 * `admit` refuses it after that.
 */
export async function countAdmission<V extends object>(
  tx: RawTx,
  of: LifecycleLimit,
  admit: (rateLimitedFor: () => Promise<number | null>) => Promise<V>,
): Promise<V> {
  const counted = { isWithin: false }
  const verdict = await admit(async () => {
    const seconds = await countLifecycleRequest(tx, of, false)
    counted.isWithin = seconds === null
    return seconds
  })
  if (counted.isWithin && 'refused' in verdict)
    await tx.$executeRaw`update lifecycle_counts set refused = refused + 1
      where project_id = ${of.projectId} and minute = ${minuteStart(of.now)}`
  return verdict
}
