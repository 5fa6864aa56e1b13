/** Dependencies that the operations on uploads share, created once in `app.ts`. */
import { type Changes } from '../../base/core/changes.js'
import { type Core } from '../../base/core/core.js'
import { type FileStore } from '../storage/file-store.js'

export interface UploadCore {
  core: Core
  store: FileStore
  changes: Changes
  /** Public base address, without a trailing slash. */
  baseUrl: string
}
