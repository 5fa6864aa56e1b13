/** Completes an upload: its file becomes ready, duplicates another upload, or is refused. */
import { ApiError } from '@phonerack/shared'
import { type Tx } from '../../base/db/database.js'
import { inTenantTransaction } from '../../base/core/tenant-transaction.js'
import { noRoom } from './waiting.js'
import { type Upload } from '../../gen/prisma/client.js'
import { addJob } from '../../base/queue/queue.js'
import { type UploadCore } from './core.js'
import { refreshExpiry } from './expiry.js'
import {
  endUpload,
  isOver,
  lockUpload,
  storageLimitReached,
  usedBytes,
  viewOf,
  visible,
  type Ending,
} from './records.js'
import { type Caller } from '../../base/core/caller.js'
import { type UploadView } from './types.js'

export async function completeUpload(
  uploads: UploadCore,
  caller: Caller,
  uploadId: string,
  storageId: string,
): Promise<UploadView> {
  const { core, store } = uploads
  const hasRoom = await store.hasRoomFor(0)
  const shown = await inTenantTransaction(core, caller, async (tx) => {
    const now = core.clock.now()
    const upload = visible(caller, uploadId, await lockUpload(tx, caller.projectId, uploadId))
    if (upload.completedAt !== null && upload.storageId === storageId) return viewOf(upload, now)
    await checkFile(tx, upload, storageId, now)
    return viewOf(await settle(uploads, tx, caller, upload, hasRoom, now), now)
  })
  uploads.changes.publish(uploadId)
  return shown
}

const badStorageId = (message: string): ApiError =>
  new ApiError('validation_failed', {
    message: `storage_id ${message}.`,
    details: { validation_stage: 'storage_id', issues: [{ path: ['storage_id'], message }] },
  })

/** @throws ApiError validation_failed unless the file was sent to this upload's URL and the upload is not completed */
async function checkFile(tx: Tx, upload: Upload, storageId: string, now: Date): Promise<void> {
  if (upload.storageId === storageId && upload.arrivedAt !== null && !isOver(upload, now)) return
  if (upload.completedAt !== null) throw badStorageId('is not the file that this upload already has')
  const holder = await tx.upload.findUnique({ where: { storageId } })
  // Files of other projects look like missing files.
  if (holder?.arrivedAt == null || holder.projectId !== upload.projectId || holder.id === upload.id)
    throw badStorageId('does not belong to a received file')
  throw badStorageId(
    holder.completedAt === null
      ? 'belongs to a file that was not sent to the URL of this upload'
      : 'belongs to the file of another upload',
  )
}

/** Decides the upload's status. The caller has locked the project and the upload. */
async function settle(
  { core, store }: UploadCore,
  tx: Tx,
  caller: Caller,
  upload: Upload,
  hasRoom: boolean,
  now: Date,
): Promise<Upload> {
  const { projectBytes, fileBytes, lifeMs } = core.rules.uploads
  const keptFrom = upload.arrivedAt ?? now
  const done = { completedAt: now, keptFrom, expiresAt: new Date(keptFrom.getTime() + lifeMs) }
  const end = async (ending: Ending): Promise<Upload> =>
    endUpload(tx, await tx.upload.update({ where: { id: upload.id }, data: done }), ending)

  if (upload.sha256 === null) return end(tooLarge(fileBytes))
  if (!store.isConfigured || !upload.isStored) return end(notConfigured)
  const equal = await readyEqual(tx, upload, caller.phoneIds !== null, now)
  if (equal) {
    await end(duplicateOf(equal))
    return keepLonger(core.rules.uploads, tx, equal, now)
  }
  const used = await usedBytes(tx, upload.projectId, now)
  if (used + Number(upload.sizeBytes) > projectBytes) throw storageLimitReached(projectBytes, used)
  if (!hasRoom) throw noRoom()
  await addJob(tx, 'upload.process', { uploadId: upload.id }, { key: processKey(upload.id) })
  return tx.upload.update({ where: { id: upload.id }, data: { ...done, status: 'processing' } })
}

export const processKey = (uploadId: string): string => `upload.process:${uploadId}`

const tooLarge = (limit: number): Ending => ({
  status: 'too_large',
  code: 'payload_too_large',
  message: `The file is larger than ${limit} bytes.`,
  next: 'Make the APK smaller and create a new upload: POST /v1/apps/uploads',
})

const notConfigured: Ending = {
  status: 'failed',
  code: 'platform_not_configured',
  message: 'Storage for apps is not configured on this service.',
  next: null,
}

export const duplicateOf = (equal: Upload): Ending => ({
  status: 'duplicate',
  code: 'duplicate_upload',
  message: `The project already has this file: ${equal.id}.`,
  next: `GET /v1/apps/uploads/${equal.id}`,
})

/**
 * Returns a ready upload of the project with the same bytes. For a key limited to phones, the upload must be visible to
 * the key.
 */
export function readyEqual(tx: Tx, upload: Upload, ownOnly: boolean, now: Date): Promise<Upload | null> {
  return tx.upload.findFirst({
    where: {
      projectId: upload.projectId,
      status: 'ready',
      sha256: upload.sha256,
      expiresAt: { gt: now },
      id: { not: upload.id },
      ...(ownOnly ? { keyId: upload.keyId } : {}),
    },
    orderBy: { createdAt: 'asc' },
  })
}

/** Extends the expiry of the upload to which a duplicate refers, as if its file had arrived now. */
export async function keepLonger(
  rules: UploadCore['core']['rules']['uploads'],
  tx: Tx,
  equal: Upload,
  now: Date,
): Promise<Upload> {
  await tx.upload.update({ where: { id: equal.id }, data: { keptFrom: now } })
  if (equal.package !== null) await refreshExpiry(tx, rules, equal.projectId, equal.package, now)
  return tx.upload.findUniqueOrThrow({ where: { id: equal.id } })
}
