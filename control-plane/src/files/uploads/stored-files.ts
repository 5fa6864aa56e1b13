/** Job `file.delete`: removes a stored file unless it is still needed. The job can safely run twice. */
import { inTransaction } from '../../base/db/database.js'
import { type UploadCore } from './core.js'
import { addFileDelete } from '../storage/deletions.js'

/** Milliseconds until the next attempt while an install uses the file. */
const againMs = 60_000

export async function deleteFileJob({ core, store }: UploadCore, storageId: string): Promise<void> {
  // The job may come from an attempt whose commit was reported as failed, so the rows decide.
  const uploads = await core.db.upload.count({ where: { storageId, isStored: true } })
  const ofLibrary = await core.db.libraryFile.count({ where: { id: storageId } })
  const recordings = await core.db.recording.count({ where: { storageId, isStored: true } })
  const steps = await core.db.step.count({ where: { pictureId: storageId } })
  if (uploads + ofLibrary + recordings + steps > 0) return
  const named = JSON.stringify([{ storageId }])
  const installing = await core.db.$queryRaw<unknown[]>`select 1 from installs
    where status in ('beginning', 'running') and files @> ${named}::jsonb limit 1`
  if (installing.length === 0) return store.delete(storageId)
  const runAt = new Date(core.clock.now().getTime() + againMs)
  await inTransaction(core.db, (tx) => addFileDelete(tx, storageId, runAt))
}
