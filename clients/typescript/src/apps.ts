/** Apps of the project: uploads, and the library of the service. */
import type { Connection } from './connection.js'
import { deleteUpload, getUpload, listUploads, searchLibrary } from './generated/sdk.gen.js'
import type { LibraryPage, Upload } from './generated/types.gen.js'
import { Pages } from './pages.js'
import { signalOf, type CallOptions } from './transport.js'
import { uploadFile, type AppFile, type UploadOptions } from './upload.js'

export type LibraryApp = LibraryPage['data'][number]

/** Deadline of an upload and its check, in milliseconds. */
const uploadMs = 300_000

export class Apps {
  constructor(private readonly connection: Connection) {}

  /** Sends an APK, and waits until it can be installed. @throws PhonerackError when it cannot */
  upload(file: AppFile, options: UploadOptions = {}): Promise<Upload> {
    return uploadFile(this.connection, file, { ...options, signal: signalOf(options, uploadMs) })
  }

  getUpload(id: string, options: CallOptions = {}): Promise<Upload> {
    return getUpload({ ...this.connection.sending(options), path: { id } })
  }

  uploads(options: CallOptions = {}): Pages<Upload, Upload> {
    const read = (cursor: string | undefined, limit?: number) =>
      listUploads({ ...this.connection.sending(options), query: { cursor, limit } })
    return new Pages(read, (upload) => upload)
  }

  async deleteUpload(id: string, options: CallOptions = {}): Promise<void> {
    await deleteUpload({ ...this.connection.sending(options), path: { id } })
  }

  /** Apps that the operator offers. @param query a part of the name or package */
  library(query = '', options: CallOptions = {}): Pages<LibraryApp, LibraryApp> {
    const read = (cursor: string | undefined) =>
      searchLibrary({ ...this.connection.sending(options), query: { query, cursor } })
    return new Pages(read, (app) => app)
  }
}
