import { type Readable } from 'node:stream'
import { type Caller, type PageQuery, type Page } from '../../base/core/caller.js'

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

/** A client's own APK in the form that the API shows. */
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

/** A file that is arriving. */
export interface IncomingFile {
  stream: Readable
  /** Bytes; null if the sender does not declare a length. */
  declaredBytes: number | null
}

/**
 * Uploads of a project. A key limited to phones sees only uploads that it created. @throws ApiError upload_not_found
 * for all others
 */
export interface UploadService {
  /** @throws ApiError insufficient_credits, project_frozen, storage_limit_reached, rate_limited, storage_full, in this order */
  create(caller: Caller): Promise<{ upload: UploadView; uploadUrl: string; maxBytes: number }>
  /**
   * Receives the file sent to an upload URL, without a key. The URL accepts one file at a time, and a complete file
   * uses it up. An oversized file is discarded, but still gets an ID. @throws ApiError upload_not_found (unknown, used
   * or expired), upload_not_ready (another file is arriving), storage_full, validation_failed (disconnected, or too
   * late)
   */
  receive(token: string, file: IncomingFile, signal: AbortSignal): Promise<{ storageId: string }>
  /**
   * True if this URL may still accept a file. Used for an address that has failed too often; callers share a query.
   */
  isKnown(token: string): Promise<boolean>
  /**
   * Returns the upload that holds the file: this upload, or the ready upload with the same bytes. @throws ApiError
   * upload_not_found, validation_failed, storage_limit_reached, storage_full
   */
  complete(caller: Caller, uploadId: string, storageId: string): Promise<UploadView>
  get(caller: Caller, uploadId: string): Promise<UploadView>
  list(caller: Caller, query: PageQuery): Promise<Page<UploadView>>
  delete(caller: Caller, uploadId: string): Promise<UploadView>
  /** Waits until the upload has been processed, `timeoutMs` have passed, or `signal` aborts. */
  wait(caller: Caller, uploadId: string, timeoutMs: number, signal: AbortSignal): Promise<UploadView>
}
