/**
 * Counts consecutive creates that failed on a device. Without the count, a phone that cannot start but can be
 * wiped would be free again after each create. docs/decisions/0224
 */
import { type Database, type Tx } from '../../base/db/database.js'

/** Consecutive failed creates after which a device is quarantined. */
export const mostFailedStarts = 3

/**
 * Counts the failure of an assignment, once for each fencing number. A phone that becomes ready resets the
 * count. Failures do not count while the host is degraded, since the host may have caused them.
 */
export async function countFailedStart(
  db: Pick<Database, '$executeRaw'>,
  { id, fencingNumber }: { id: string; fencingNumber: bigint },
  now: Date,
): Promise<void> {
  await db.$executeRaw`update devices d
    set failed_starts = failed_starts + 1, failed_start_number = ${fencingNumber} from hosts h
    where h.id = d.host_id and d.id = ${id} and d.fencing_number = ${fencingNumber}
      and d.failed_start_number is distinct from ${fencingNumber}
      and (h.degraded_until is null or h.degraded_until <= ${now})`
}

/** Consecutive failed creates, including the create under this number; 0: that create did not count. */
export async function failedStartsOf(
  db: Pick<Tx, 'device'>,
  { id, fencingNumber }: { id: string; fencingNumber: bigint },
): Promise<number> {
  const row = await db.device.findFirst({
    where: { id, failedStartNumber: fencingNumber },
    select: { failedStarts: true },
  })
  return row?.failedStarts ?? 0
}
