/**
 * Files by their `sto_` ID, as `uploads/` and `apps/` use them: whole or not there at all, streamed both ways, never
 * a whole one in memory. Where they lie is flydrive's business (`open.ts`).
 */
import { type Readable } from 'node:stream'

export interface FileStore {
  /** False: apps cannot be stored here at all, and every `put` fails. */
  readonly isConfigured: boolean
  /**
   * Stores all that `source` gives; nothing stays when it fails.
   * @throws StorageFull
   */
  put(id: string, source: Readable): Promise<void>
  /** @throws StoredFileMissing */
  read(id: string): Promise<Readable>
  /** Bytes `from` to `to`, both in it; null where files can only be read as a whole. @throws StoredFileMissing */
  readPart(id: string, from: number, to: number): Promise<Readable | null>
  /**
   * Gives `use` a path of this machine with the file's bytes, to be read only, until it ends.
   * @throws StoredFileMissing, StorageFull
   */
  withLocalFile<T>(id: string, use: (path: string) => Promise<T>): Promise<T>
  has(id: string): Promise<boolean>
  /** One that is not there is no error. */
  delete(id: string): Promise<void>
  /** Whether `bytes` more leave the disk with as much room as is to stay free. */
  hasRoomFor(bytes: number): Promise<boolean>
  /** Removes what killed processes left half-way; what is younger than ten minutes may be in use. */
  sweep(): Promise<void>
}

/** No room: on the disk, or by the service's own rule. */
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

/** Whether an error, or what caused it, is a disk or quota that is full, or `StorageFull` itself. */
export function isFull(error: unknown): boolean {
  for (let each = error; each instanceof Error; each = each.cause) {
    if (each instanceof StorageFull) return true
    if ('code' in each && (each.code === 'ENOSPC' || each.code === 'EDQUOT')) return true
  }
  return false
}
