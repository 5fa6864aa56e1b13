/**
 * The exact limit of lifecycle requests per project and calendar minute across all replicas, kept
 * in a counter row.
 */
import { type RawTx } from '../db/raw-transaction.js'
import { minuteStart, secondsToNextMinute } from './calendar.js'

/**
 * Counts one request. Returns null within the limit, else the seconds until the next minute without
 * counting. The count commits with the transaction, so a caller that refuses later must return
 * instead of throwing.
 */
export async function countLifecycleRequest(
  tx: RawTx,
  projectId: string,
  limit: number,
  now: Date,
): Promise<number | null> {
  const counted = await tx.$queryRaw<
    { count: number }[]
  >`insert into lifecycle_counts (project_id, minute, count)
    values (${projectId}, ${minuteStart(now)}, 1)
    on conflict (project_id, minute) do update set count = lifecycle_counts.count + 1
      where lifecycle_counts.count < ${limit} returning count`
  return counted.length > 0 ? null : secondsToNextMinute(now)
}
