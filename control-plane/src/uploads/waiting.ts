/** Files of all projects that have not been completed yet: how much room they take together. */
import { type Reader } from '../db/database.js'

/** The lock under which room is given to arriving files, over all replicas. */
export const roomLock = 7_201_101

/** Bytes of arrived files, and of arriving ones as promised. */
export async function waitingBytes(db: Reader, now: Date): Promise<number> {
  const rows = await db.$queryRaw<{ bytes: bigint }[]>`select coalesce(sum(size_bytes), 0)::bigint as bytes
    from uploads where status = 'awaiting_file' and expires_at > ${now}
      and (is_stored or (arrived_at is null and claim_until > ${now}))`
  return Number(rows[0]?.bytes ?? 0n)
}
