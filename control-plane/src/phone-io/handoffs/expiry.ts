/**
 * Stores the end of hand-overs that have expired, whose member signed out or lost the role, or whose session or key
 * ended before a release that stores this end together with the session or key. Readers compute the end earlier
 * (`records.ts`). The change writes the event `handoff.expired`.
 */
import { type Core } from '../../base/core/core.js'
import { readTime } from '../../base/db/database.js'
import { authorEndedAt, joined } from '../../rental/phones/control.js'
import { type RawTx } from '../../base/db/raw-transaction.js'
import { addJob } from '../../base/queue/queue.js'

/** Milliseconds after the expiry at which the job runs, so that it sees the hand-over as expired. */
const expireAfterMs = 50

export async function expireHandoffs(core: Core): Promise<void> {
  const now = core.clock.now()
  const rows = await core.db.$queryRaw<{ phoneId: string }[]>`update handoffs h set status = 'expired',
      ended_at = greatest(h.created_at, least(h.expires_at, o.session_ended_at, o.author_ended_at))
    from (select f.id, s.ended_at as session_ended_at, ${authorEndedAt(now)} as author_ended_at
      from ${joined} where f.status in ('open', 'taken')) o
    where h.id = o.id and h.status in ('open', 'taken')
      and (h.expires_at <= ${now} or o.session_ended_at is not null or o.author_ended_at is not null)
    returning h.phone_id as "phoneId"`
  for (const { phoneId } of rows) core.changes.publish(phoneId)
}

/**
 * The job of one hand-over. Postgres starts the job, and this replica's time may be behind: in that case another job
 * follows once the hand-over has expired by this replica's time.
 */
export async function expireHandoff(core: Core, handoffId: string): Promise<void> {
  await expireHandoffs(core)
  const open = await core.db.handoff.findFirst({
    where: { id: handoffId, status: { in: ['open', 'taken'] } },
    select: { expiresAt: true },
  })
  if (!open) return
  const left = Math.max(0, open.expiresAt.getTime() - core.clock.now().getTime())
  await addExpiry(core.db, handoffId, new Date((await readTime(core.db)).getTime() + left))
}

/** @param expiresAt in Postgres's time */
export const addExpiry = (tx: RawTx, handoffId: string, expiresAt: Date): Promise<void> =>
  addJob(
    tx,
    'handoff.expire',
    { handoffId },
    { runAt: new Date(expiresAt.getTime() + expireAfterMs), key: `handoff.expire:${handoffId}` },
  )
