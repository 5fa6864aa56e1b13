/** Keeps `expires_at` of uploads right, and deletes those whose time is over. Times are the application's clock. */
import { inTransaction, type Tx } from '../db/database.js'
import { type Upload } from '../gen/prisma/client.js'
import { type UploadRules } from '../config/config.js'
import { type UploadCore } from './core.js'
import { dropFile, isOver, lockUpload } from './records.js'
import { expiryOf, isNewer, type Build } from './retention.js'

/** Deletions of one round. */
const batch = 200

/** After anything that the retention of a package's builds depends on; the project is locked. */
export async function refreshExpiry(
  tx: Tx,
  rules: UploadRules,
  projectId: string,
  packageName: string,
  now: Date,
): Promise<void> {
  // What has run out is gone, whether or not somebody has removed it already.
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

// The table's check constraint lets no ready upload be without a version code.
const buildOf = (upload: Upload): Build => ({
  versionCode: upload.versionCode ?? 0n,
  createdAt: upload.createdAt,
})

/** Deletes what has run out; called now and then by every replica. */
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

/** The upload and its file; the project and the upload are locked. */
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
