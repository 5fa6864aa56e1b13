/** Deletes recordings whose time is over; called now and then by every replica. Times are the application's clock. */
import { inTransaction } from '../db/database.js'
import { type Core } from '../core/core.js'
import { remove } from './records.js'

/** Deletions of one round. */
const batch = 200

export async function expireRecordings(core: Core): Promise<void> {
  const due = await core.db.recording.findMany({
    where: { status: { not: 'deleted' }, expiresAt: { lte: core.clock.now() } },
    orderBy: { expiresAt: 'asc' },
    take: batch,
  })
  for (const recording of due) await inTransaction(core.db, (tx) => remove(tx, core, recording))
}
