/**
 * Bounds how often a device's agent may contradict this database. Once is normal after a restore; an agent that does it
 * again and again is broken or hostile, and each time costs a wipe, a start or a phone. docs/decisions/0173
 */
import { type Tx } from '../db/database.js'

/** Within 24 hours; the next one quarantines the device. */
export const mostDisputes = 5

/** Locks the device's row. True: its agent has contradicted as often as it may. */
export async function lockDisputed(tx: Tx, deviceId: string): Promise<boolean> {
  const rows = await tx.$queryRaw<{ is_over: boolean }[]>`select
      disputes >= ${mostDisputes} and coalesce(disputed_since > now() - interval '24 hours', false) as is_over
    from devices where id = ${deviceId} for update`
  return rows[0]?.is_over ?? false
}

/** Counts one more. Only a release or an enrolment by the operator, or a day, makes the count begin again. */
export async function countDispute(tx: Tx, deviceId: string): Promise<void> {
  await tx.$executeRaw`update devices set
      disputes = case when disputed_since > now() - interval '24 hours' then disputes + 1 else 1 end,
      disputed_since = case when disputed_since > now() - interval '24 hours' then disputed_since else now() end
    where id = ${deviceId}`
}
