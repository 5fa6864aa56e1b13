/**
 * Determines whether a device takes new work: not while an operator drains the host or the device, nor during maintenance.
 */
import { Prisma } from '../../gen/prisma/client.js'
import { type Reader } from '../../base/db/database.js'
import { type RawTx } from '../../base/db/raw-transaction.js'

/** A condition on a device `d` at a host `h`: no operator has taken the device out of service. */
export const inService = Prisma.sql`h.drained_at is null and d.drained_at is null and d.maintenance_at is null`

/** `inService`, and the host is not retired, and its agent takes work (docs/decisions/0217). */
export const takesWork = Prisma.sql`${inService} and h.retired_at is null and h.refuses is null`

/**
 * Locks a phone's device and returns why it takes no new work; null: it takes work. A device that is being
 * moved takes no work. A drain waits for this lock, so no start is admitted after a drain.
 */
export async function lockInService(
  tx: RawTx,
  phoneId: string,
): Promise<'out of service' | 'refused' | null> {
  await tx.$queryRaw`select 1 as locked from devices where phone_id = ${phoneId} for update`
  // A second statement sees a drain that ended while the first statement waited.
  const rows = await tx.$queryRaw<
    { in_service: boolean; refused: boolean }[]
  >`select ${inService} and h.retired_at is null and d.adopting_since is null as in_service, h.refuses is not null as refused
    from devices d join hosts h on h.id = d.host_id where d.phone_id = ${phoneId}`
  const [row] = rows
  if (!row) return null
  if (!row.in_service) return 'out of service'
  return row.refused ? 'refused' : null
}

/**
 * When the drain of a phone's device reached its deadline; null: the device is not drained, or the deadline
 * is not reached.
 */
export async function drainedSince(db: Reader, phoneId: string, now: Date): Promise<Date | null> {
  const rows = await db.$queryRaw<
    { until: Date | null }[]
  >`select least(h.drain_until, d.drain_until) as until
    from devices d join hosts h on h.id = d.host_id where d.phone_id = ${phoneId}`
  const until = rows[0]?.until ?? null
  return until !== null && until <= now ? until : null
}
