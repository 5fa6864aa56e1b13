/**
 * Files by their `sto_` ID, for `uploads/` and `apps/`. A file is complete or absent, streamed in both directions, and
 * never held in memory. flydrive stores the files (`open.ts`).
 */
import { type Readable } from 'node:stream'

export interface FileStore {
  /** False: no storage is configured, and every `put` fails. */
  readonly isConfigured: boolean
  /** Stores all of `source`. A failure leaves no file. @throws StorageFull */
  put(id: string, source: Readable): Promise<void>
  /** @throws StoredFileMissing */
  read(id: string): Promise<Readable>
  /**
   * Returns the bytes `from` to `to`, inclusive; null if the store can only read whole files. @throws StoredFileMissing
   */
  readPart(id: string, from: number, to: number): Promise<Readable | null>
  /**
   * Calls `use` with the path of a local, read-only file that is valid until `use` ends. @throws StoredFileMissing,
   * StorageFull
   */
  withLocalFile<T>(id: string, use: (path: string) => Promise<T>): Promise<T>
  has(id: string): Promise<boolean>
  /** Does nothing for a missing file. */
  delete(id: string): Promise<void>
  /** True if the disk keeps its reserved free space after `bytes` more. */
  hasRoomFor(bytes: number): Promise<boolean>
  /** Removes partial files of killed processes; files younger than ten minutes may be in use. */
  sweep(): Promise<void>
}

/** The disk is full, or the service has reached its storage limit. */
export class StorageFull extends Error {
  constructor(cause?: unknown) {
    super('the storage is full', { cause })
    this.name = 'StorageFull'
  }
}

export class StoredFileMissing extends Error {
  constructor(readonly id: string) {
    super(`the file ${id} is missing from the storage`)
    this.name = 'StoredFileMissing'
  }
}

/** True if an error or its cause is a full disk, an exceeded quota, or `StorageFull`. */
export function isFull(error: unknown): boolean {
  for (let each = error; each instanceof Error; each = each.cause) {
    if (each instanceof StorageFull) return true
    if ('code' in each && (each.code === 'ENOSPC' || each.code === 'EDQUOT')) return true
  }
  return false
}
