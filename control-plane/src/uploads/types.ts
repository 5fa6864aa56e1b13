import { type Readable } from 'node:stream'
import { type Caller, type PageQuery, type Page } from '../core/caller.js'

export const uploadStatuses = [
  'awaiting_file',
  'processing',
  'ready',
  'invalid_apk',
  'too_large',
  'storage_full',
  'failed',
  'duplicate',
  'deleted',
] as const

export type UploadStatus = (typeof uploadStatuses)[number]

/** A client's own APK as the API shows it. */
export interface UploadView {
  id: string
  status: UploadStatus
  package: string | null
  versionCode: number | null
  versionName: string | null
  minSdk: number | null
  sizeBytes: number | null
  sha256: string | null
  createdAt: Date
  expiresAt: Date
  error: { code: string; message: string; next: string | null } | null
}

/** A file on its way in. */
export interface IncomingFile {
  stream: Readable
  /** Bytes; null when the sender does not say. */
  declaredBytes: number | null
}

/**
 * Uploads of a project. A key that is limited to phones sees only those that it made.
 * @throws ApiError upload_not_found for all others
 */
export interface UploadService {
  /** @throws ApiError insufficient_credits, project_frozen, storage_limit_reached, rate_limited, storage_full, in this order */
  create(caller: Caller): Promise<{ upload: UploadView; uploadUrl: string; maxBytes: number }>
  /**
   * Takes the file that is sent to an upload URL, without a key. One file at a time; the URL is spent by a whole one.
   * What is over the size limit is thrown away, and still has an ID.
   * @throws ApiError upload_not_found (unknown, spent or expired), upload_not_ready (another file is arriving),
   *   storage_full, validation_failed (cut off, or too late)
   */
  receive(token: string, file: IncomingFile, signal: AbortSignal): Promise<{ storageId: string }>
  /** Whether a file may still come to this URL, for an address that has failed too often: waits for a look-up that many share. */
  isKnown(token: string): Promise<boolean>
  /**
   * Returns the upload that the file is in: this one, or the ready one that it equals.
   * @throws ApiError upload_not_found, validation_failed, storage_limit_reached, storage_full
   */
  complete(caller: Caller, uploadId: string, storageId: string): Promise<UploadView>
  get(caller: Caller, uploadId: string): Promise<UploadView>
  list(caller: Caller, query: PageQuery): Promise<Page<UploadView>>
  delete(caller: Caller, uploadId: string): Promise<UploadView>
  /** Waits until the upload is no longer processing, or `timeoutMs` have passed, or `signal` aborts. */
  wait(caller: Caller, uploadId: string, timeoutMs: number, signal: AbortSignal): Promise<UploadView>
}
