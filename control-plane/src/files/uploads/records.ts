/** Uploads in the database: their visibility to keys, the view that the API shows, and their expiry. */
import { ApiError } from '@phonerack/shared'
import { dayStart } from '../../rental/billing/calendar.js'
import { type Reader, type Tx } from '../../base/db/database.js'
import { type Prisma, type Upload } from '../../gen/prisma/client.js'
import { type Caller } from '../../base/core/caller.js'
import { type UploadStatus, type UploadView } from './types.js'
import { addFileDelete } from '../storage/deletions.js'

export const uploadNotFound = (id: string): ApiError =>
  new ApiError('upload_not_found', { details: { upload: id }, next: 'GET /v1/apps/uploads' })

/** @throws ApiError upload_not_found */
export function visible(caller: Caller, id: string, upload: Upload | null): Upload {
  const isOwn = upload?.projectId === caller.projectId
  if (!isOwn || (caller.phoneIds !== null && upload.keyId !== caller.keyId)) throw uploadNotFound(id)
  return upload
}

/** Selects the uploads that `visible` allows, for lists. */
export const visibleTo = (caller: Caller): Prisma.UploadWhereInput => ({
  projectId: caller.projectId,
  ...(caller.phoneIds === null ? {} : { keyId: caller.keyId }),
})

/** Locks the project, then the upload. Returns the upload as it is under the locks. */
export async function lockUpload(tx: Tx, projectId: string, id: string): Promise<Upload | null> {
  await tx.$queryRaw`select 1 from projects where id = ${projectId} for update`
  await tx.$queryRaw`select 1 from uploads where id = ${id} for update`
  return tx.upload.findUnique({ where: { id } })
}

/** True if the upload has expired, even if its row still exists. */
export const isOver = (upload: Upload, now: Date): boolean =>
  upload.status === 'deleted' || upload.expiresAt <= now

/** The status at `now`. */
export const statusAt = (upload: Upload, now: Date): UploadStatus =>
  // The table's check constraint allows no other value.
  isOver(upload, now) ? 'deleted' : (upload.status as UploadStatus)

export const viewOf = (upload: Upload, now: Date): UploadView => ({
  id: upload.id,
  status: statusAt(upload, now),
  package: upload.package,
  versionCode: upload.versionCode === null ? null : Number(upload.versionCode),
  versionName: upload.versionName,
  minSdk: upload.minSdk,
  sizeBytes: upload.arrivedAt === null || upload.sizeBytes === null ? null : Number(upload.sizeBytes),
  sha256: upload.arrivedAt === null ? null : upload.sha256,
  createdAt: upload.createdAt,
  expiresAt: upload.expiresAt,
  error:
    upload.errorCode === null || upload.errorMessage === null
      ? null
      : { code: upload.errorCode, message: upload.errorMessage, next: upload.errorNext },
})

/** Bytes of the project's processing and ready uploads. */
export async function usedBytes(db: Reader, projectId: string, now: Date): Promise<number> {
  const rows = await db.$queryRaw<{ used: bigint }[]>`select coalesce(sum(size_bytes), 0)::bigint as used
    from uploads where project_id = ${projectId} and status in ('processing', 'ready') and expires_at > ${now}`
  return Number(rows[0]?.used ?? 0n)
}

/** Counts the uploads that the project created this day (UTC). Deleted uploads count too, since their rows remain. */
export const countToday = (db: Pick<Tx, 'upload'>, projectId: string, now: Date): Promise<number> =>
  db.upload.count({ where: { projectId, createdAt: { gte: dayStart(now) } } })

export const storageLimitReached = (limitBytes: number, used: number): ApiError =>
  new ApiError('storage_limit_reached', {
    details: { limit_bytes: limitBytes, used_bytes: used },
    next: 'Delete uploads that you do not need (GET /v1/apps/uploads), then send the request again.',
  })

/** A final status other than ready. */
export interface Ending {
  status: 'invalid_apk' | 'too_large' | 'storage_full' | 'failed' | 'duplicate'
  code:
    | 'invalid_apk'
    | 'payload_too_large'
    | 'storage_full'
    | 'upload_failed'
    | 'platform_not_configured'
    | 'duplicate_upload'
  message: string
  next: string | null
}

/** Ends the upload and removes its file. */
export async function endUpload(tx: Tx, upload: Upload, ending: Ending): Promise<Upload> {
  await dropFile(tx, upload)
  return tx.upload.update({
    where: { id: upload.id },
    data: {
      status: ending.status,
      isStored: false,
      errorCode: ending.code,
      errorMessage: ending.message,
      errorNext: ending.next,
    },
  })
}

/** Removes the upload's file, complete or partial, when the transaction commits. */
export async function dropFile(tx: Tx, upload: Pick<Upload, 'storageId'>): Promise<void> {
  if (upload.storageId !== null) await addFileDelete(tx, upload.storageId)
}
