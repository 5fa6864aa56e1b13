/** Job `file.delete`: removes a stored file, unless something needs it. Safe to run twice. */
import { inTransaction } from '../db/database.js'
import { type UploadCore } from './core.js'
import { addFileDelete } from './records.js'

/** Milliseconds until the next look while the file is being installed. */
const againMs = 60_000

export async function deleteFileJob({ core, store }: UploadCore, storageId: string): Promise<void> {
  // A job can be left over from a try whose end was told wrongly: the rows decide.
  const isKept = (await core.db.upload.count({ where: { storageId, isStored: true } })) > 0
  if (isKept) return
  const isInstalling = await core.db.install.count({
    where: { status: { in: ['beginning', 'running'] }, upload: { storageId } },
  })
  if (isInstalling === 0) return store.delete(storageId)
  const runAt = new Date(core.clock.now().getTime() + againMs)
  await inTransaction(core.db, (tx) => addFileDelete(tx, storageId, runAt))
}
