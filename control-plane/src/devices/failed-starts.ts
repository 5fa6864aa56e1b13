/**
 * Counts creates that failed on a device, one after another. A phone that cannot start but can be wiped would otherwise be free
 * again after each of them. docs/decisions/0224
 */
import { type Database, type Tx } from '../db/database.js'

/** Consecutive failed creates after which a device is quarantined. */
export const mostFailedStarts = 3

/** Counts the failure of an assignment, once for each fencing number. A phone that becomes ready ends the count. */
export async function countFailedStart(
  db: Pick<Database, '$executeRaw'>,
  deviceId: string,
  fencing: bigint,
): Promise<void> {
  await db.$executeRaw`update devices
    set failed_starts = failed_starts + 1, failed_start_number = ${fencing}
    where id = ${deviceId} and fencing_number = ${fencing} and failed_start_number is distinct from ${fencing}`
}

export async function failedStartsOf(db: Pick<Tx, 'device'>, deviceId: string): Promise<number> {
  const row = await db.device.findUnique({ where: { id: deviceId }, select: { failedStarts: true } })
  return row?.failedStarts ?? 0
}
