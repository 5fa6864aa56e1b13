/** Files in the shared storage of a phone. */
import { limits, type Connection } from './connection.js'
import { deleteFile, listFiles, readFile, writeFile } from './generated/sdk.gen.js'
import type { ListFilesAnswer, WriteFileAnswer } from './generated/types.gen.js'
import type { CallOptions } from './transport.js'

export type FileEntry = ListFilesAnswer['data'][number]

export class Files {
  constructor(
    private readonly connection: Connection,
    private readonly phoneId: string,
  ) {}

  private get path(): { id: string } {
    return { id: this.phoneId }
  }

  /** @param folder such as `/sdcard/Download`; default: the root of the shared storage */
  async list(folder?: string, options: CallOptions = {}): Promise<FileEntry[]> {
    const sending = this.connection.sending(options)
    return (await listFiles({ ...sending, path: this.path, query: { path: folder } })).data
  }

  async read(file: string, options: CallOptions = {}): Promise<Uint8Array> {
    const sending = this.connection.sending(options, limits.requestMs, { expected: 'bytes' })
    const answer: unknown = await readFile({ ...sending, path: this.path, query: { path: file } })
    return new Uint8Array(answer as ArrayBuffer)
  }

  /** At most 4,000,000 bytes. */
  write(
    file: string,
    content: Uint8Array | string | Blob,
    options: CallOptions = {},
  ): Promise<WriteFileAnswer> {
    const body = content instanceof Blob ? content : new Blob([content as BlobPart])
    return writeFile({ ...this.connection.sending(options), path: this.path, query: { path: file }, body })
  }

  async delete(file: string, options: CallOptions = {}): Promise<void> {
    await deleteFile({ ...this.connection.sending(options), path: this.path, query: { path: file } })
  }
}
