/**
 * Limits how often a device's agent may contradict this database. One dispute is normal after a restore. An
 * agent that contradicts the database repeatedly is broken or hostile, and each dispute costs a wipe, a start
 * or a phone.
 */
import { type Tx } from '../../base/db/database.js'
import { Prisma } from '../../gen/prisma/client.js'

/** The disputes allowed within 24 hours; the next dispute quarantines the device. */
export const maxDisputes = 5

/** False while `disputed_since` is null. */
const isWithinADay = Prisma.sql`coalesce(disputed_since > now() - interval '24 hours', false)`

/** Locks the device's row. Returns true when the device's agent has used up its disputes. */
export async function lockDisputed(tx: Tx, deviceId: string): Promise<boolean> {
  const rows = await tx.$queryRaw<{ is_over: boolean }[]>`select
      disputes >= ${maxDisputes} and ${isWithinADay} as is_over
    from devices where id = ${deviceId} for update`
  return rows[0]?.is_over ?? false
}

/**
 * Counts one dispute. The count resets after a day, or when the operator releases or enrolls the
 * device.
 */
export async function countDispute(tx: Tx, deviceId: string): Promise<void> {
  await tx.$executeRaw`update devices set
      disputes = case when ${isWithinADay} then disputes + 1 else 1 end,
      disputed_since = case when ${isWithinADay} then disputed_since else now() end
    where id = ${deviceId}`
}
