/**
 * Reads and writes files of a phone. adbkit's `Sync` ignores back-pressure, buffers a whole listing, accepts names of any
 * length and lacks version 2. Figures: docs/bench.md.
 */
import type { Bluebird } from '../adbkit.js'
import {
  listFolder,
  pullFile,
  pushFile,
  statFile,
  statFile2,
  type FileStat,
  type FolderEntry,
  type SyncVersion,
} from '../sync.js'
import { ServiceCommand } from './service.js'

abstract class SyncCommand<T> extends ServiceCommand<T> {
  protected sync<R>(work: () => Promise<R>): Bluebird<R> {
    return this.request('sync:').then(work)
  }
}

export class PushCommand extends SyncCommand<void> {
  execute(path: string, content: Uint8Array, mode: number): Bluebird<void> {
    return this.sync(() => pushFile(this.bytes, path, content, mode))
  }
}

export class PullCommand extends SyncCommand<Buffer> {
  /** Reads the first `limit` bytes. */
  execute(path: string, limit: number): Bluebird<Buffer> {
    return this.sync(() => pullFile(this.bytes, path, limit))
  }
}

export class StatCommand extends SyncCommand<FileStat | null> {
  /** Null when the file does not exist. Version 2 does not follow symbolic links (`lstat`) and supports files above 4 GiB. */
  execute(path: string, version: SyncVersion): Bluebird<FileStat | null> {
    return this.sync(() => (version === 2 ? statFile2 : statFile)(this.bytes, path))
  }
}

export class ListCommand extends SyncCommand<void> {
  /** Calls `visit` for each entry of a folder until it returns false. */
  execute(path: string, version: SyncVersion, visit: (entry: FolderEntry) => boolean): Bluebird<void> {
    return this.sync(() => listFolder(this.bytes, path, version, visit))
  }
}
