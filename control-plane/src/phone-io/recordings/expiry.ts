/**
 * Deletes expired recordings. Every replica calls it periodically. Times are the application's
 * clock.
 */
import { inTransaction } from '../../base/db/database.js'
import { type Core } from '../../base/core/core.js'
import { remove } from './records.js'

/** Deletions per round. */
const batch = 200

export async function expireRecordings(core: Core): Promise<void> {
  const due = await core.db.recording.findMany({
    where: { status: { not: 'deleted' }, expiresAt: { lte: core.clock.now() } },
    orderBy: { expiresAt: 'asc' },
    take: batch,
  })
  for (const recording of due) await inTransaction(core.db, (tx) => remove(tx, core, recording))
}
