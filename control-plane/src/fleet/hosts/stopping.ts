/**
 * Ends the runs of phones whose agent has reported for too long that it is stopping. A stopping agent takes
 * no new calls, but its phones are billed, since sessions survive a quick restart. An agent ends within two
 * minutes (docs/decisions/0218); an agent that hangs or lies must not cost its tenants more.
 */
import { type HostFault } from '@phonerack/shared'
import { type Core } from '../../base/core/core.js'
import { type Reader } from '../../base/db/database.js'
import { Prisma } from '../../gen/prisma/client.js'
import { loseReach } from '../../rental/phones/run.js'

/** The longest `stop_within` of an agent, the end of its process, and a margin. */
const longestMs = 150_000

const stopping: HostFault = 'stopping'

/**
 * When the host began to stop; null: it is not stopping. A replica that does not store the time may have
 * applied the earlier report.
 */
export function stoppingSince(
  refuses: string | null,
  before: { refuses: string | null; stoppingSince: Date | null },
  now: Date,
): Date | null {
  if (refuses !== stopping) return null
  return before.refuses === stopping && before.stoppingSince !== null ? before.stoppingSince : now
}

/**
 * Must be called by each replica every 5 s. Billing ends where the stop began. A host that has been silent
 * since is left to `sweepHosts`, since no report says that it is still stopping.
 */
export async function sweepStopping(core: Core): Promise<void> {
  const rows = await overdue(core.db, core.clock.now(), Prisma.sql`true`)
  // Test again under the lock of the phone: the host may have come back since the query.
  const again = (id: string) => async (tx: Reader, now: Date) =>
    (await overdue(tx, now, Prisma.sql`p.id = ${id}`))[0]?.at ?? null
  const errors: unknown[] = []
  for (const { id } of rows)
    await loseReach(core, id, again(id)).catch((error: unknown) => errors.push(error))
  if (errors.length > 0) throw new AggregateError(errors, 'could not end all runs of stopping hosts')
}

/** Running phones of hosts that have been stopping for too long. `at`: when the stop began. */
function overdue(db: Reader, now: Date, which: Prisma.Sql): Promise<{ id: string; at: Date }[]> {
  const since = new Date(now.getTime() - longestMs)
  return db.$queryRaw`select p.id, h.stopping_since as at
    from phones p join devices d on d.phone_id = p.id join hosts h on h.id = d.host_id
    where p.status in ('creating', 'starting', 'ready') and ${which}
      and h.refuses = ${stopping} and h.stopping_since <= ${since}
      and h.last_seen_at >= h.stopping_since + ${longestMs} * interval '1 ms'`
}
