/** Updates `expires_at` of uploads, and deletes expired uploads. All times come from the application's clock. */
import { inTransaction, type Tx } from '../../base/db/database.js'
import { type Upload } from '../../gen/prisma/client.js'
import { type UploadRules } from '../../base/config/config.js'
import { type UploadCore } from './core.js'
import { dropFile, isOver, lockUpload } from './records.js'
import { expiryOf, isNewer, type Build } from './retention.js'

/** Deletions per round. */
const batch = 200

/**
 * Must be called after any change that affects the retention of a package's builds. The caller has locked the project.
 */
export async function refreshExpiry(
  tx: Tx,
  rules: UploadRules,
  projectId: string,
  packageName: string,
  now: Date,
): Promise<void> {
  // An expired upload counts as deleted, even if its row still exists.
  const ready = await tx.upload.findMany({
    where: { projectId, package: packageName, status: 'ready', expiresAt: { gt: now } },
  })
  for (const upload of ready) {
    const isSuperseded = ready.some((other) => isNewer(buildOf(other), buildOf(upload)))
    const expiresAt = expiryOf({ ...upload, isSuperseded }, rules)
    if (expiresAt.getTime() !== upload.expiresAt.getTime())
      await tx.upload.update({ where: { id: upload.id }, data: { expiresAt } })
  }
}

// The table's check constraint requires a version code for a ready upload.
const buildOf = (upload: Upload): Build => ({
  versionCode: upload.versionCode ?? 0n,
  createdAt: upload.createdAt,
})

/** Deletes expired uploads. Every replica calls it periodically. */
export async function expireUploads(uploads: UploadCore): Promise<void> {
  const { core } = uploads
  const now = core.clock.now()
  const due = await core.db.upload.findMany({
    where: { status: { not: 'deleted' }, expiresAt: { lte: now } },
    select: { id: true, projectId: true },
    orderBy: { expiresAt: 'asc' },
    take: batch,
  })
  for (const { id, projectId } of due) {
    await inTransaction(core.db, async (tx) => {
      const upload = await lockUpload(tx, projectId, id)
      if (upload && upload.status !== 'deleted' && isOver(upload, now))
        await removeUpload(tx, core.rules.uploads, upload, now)
    })
    uploads.changes.publish(id)
  }
}

/** Removes the upload and its file. The caller has locked the project and the upload. */
export async function removeUpload(tx: Tx, rules: UploadRules, upload: Upload, now: Date): Promise<Upload> {
  await dropFile(tx, upload)
  const removed = await tx.upload.update({
    where: { id: upload.id },
    data: { status: 'deleted', isStored: false },
  })
  if (upload.status === 'ready' && upload.package !== null)
    await refreshExpiry(tx, rules, upload.projectId, upload.package, now)
  return removed
}
