/**
 * Whether operators let a device take new work: not while its host or the device is drained, nor in
 * maintenance. docs/decisions/0198
 */
import { Prisma } from '../gen/prisma/client.js'
import { type Reader, type Tx } from '../db/database.js'

/** A condition on a device `d` at a host `h`. */
export const inService = Prisma.sql`h.drained_at is null and d.drained_at is null and d.maintenance_at is null`

/**
 * Locks a phone's device and returns true when it takes new work. A drain waits for this lock, so
 * no start is admitted after a drain.
 */
export async function lockInService(tx: Tx, phoneId: string): Promise<boolean> {
  await tx.$queryRaw`select 1 from devices where phone_id = ${phoneId} for update`
  // A second statement sees a drain that ended while the first one waited.
  const rows = await tx.$queryRaw<
    { in_service: boolean }[]
  >`select ${inService} and h.retired_at is null as in_service
    from devices d join hosts h on h.id = d.host_id where d.phone_id = ${phoneId}`
  return rows[0]?.in_service ?? true
}

/** When the drain of a phone's device reached its deadline; null: it is not drained, or not yet. */
export async function drainedSince(db: Reader, phoneId: string, now: Date): Promise<Date | null> {
  const rows = await db.$queryRaw<
    { until: Date | null }[]
  >`select least(h.drain_until, d.drain_until) as until
    from devices d join hosts h on h.id = d.host_id where d.phone_id = ${phoneId}`
  const until = rows[0]?.until ?? null
  return until !== null && until <= now ? until : null
}
