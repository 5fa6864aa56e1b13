/** Job `file.delete`: removes a stored file, unless something refers to it after all. Safe to run twice. */
import { type UploadCore } from './core.js'

export async function deleteFileJob({ core, store }: UploadCore, storageId: string): Promise<void> {
  // A job can be left over from a try whose end was told wrongly: the rows decide.
  const isKept = (await core.db.upload.count({ where: { storageId, isStored: true } })) > 0
  if (!isKept) await store.delete(storageId)
}
