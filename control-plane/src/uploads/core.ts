/** What the parts of uploads share; made once in `app.ts`. */
import { type Changes } from '../core/changes.js'
import { type Core } from '../core/core.js'
import { type FileStore } from '../storage/file-store.js'

export interface UploadCore {
  core: Core
  store: FileStore
  changes: Changes
  /** Public base address, without a slash at the end. */
  baseUrl: string
}
