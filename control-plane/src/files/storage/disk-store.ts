/**
 * `FileStore` over flydrive. A file for a bucket is first assembled in the work folder, since S3 needs the length of
 * the file.
 */
import { createReadStream, createWriteStream } from 'node:fs'
import { readdir, rm, stat, statfs } from 'node:fs/promises'
import path from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { randomUUID } from 'node:crypto'
import { type Disk } from 'flydrive'
import { type FileStore, isFull, StorageFull, StoredFileMissing } from './file-store.js'

/** Milliseconds after which a file in the work folder is abandoned. */
const abandonedAfterMs = 600_000

/** Bytes of a file after which the free space is checked again. */
const lookEveryBytes = 16_000_000

interface DiskStoreOptions {
  disk: Disk
  /** The folder of the files on this machine; null if a bucket stores the files. */
  localDir: string | null
  /** The folder for files in transit. */
  work: string
  room: { dir: string; minFreeBytes: number }
  isConfigured?: boolean
}

export class DiskStore implements FileStore {
  readonly isConfigured: boolean
  private readonly disk: Disk

  constructor(private readonly options: DiskStoreOptions) {
    this.disk = options.disk
    this.isConfigured = options.isConfigured ?? true
  }

  async put(id: string, source: Readable): Promise<void> {
    if (!this.isConfigured) throw new Error('no storage is configured')
    try {
      const watched = Readable.from(this.watched(source), { objectMode: false })
      if (this.options.localDir === null) await this.viaWorkFolder(id, watched)
      else await this.disk.putStream(id, watched)
    } catch (error) {
      await this.disk.delete(id)
      throw isFull(error) ? new StorageFull(error) : error
    }
  }

  async read(id: string): Promise<Readable> {
    if (!(await this.disk.exists(id))) throw new StoredFileMissing(id)
    return this.disk.getStream(id)
  }

  async readPart(id: string, from: number, to: number): Promise<Readable | null> {
    const { localDir } = this.options
    if (localDir === null) return null
    if (!(await this.disk.exists(id))) throw new StoredFileMissing(id)
    return createReadStream(path.join(localDir, id), { start: from, end: to })
  }

  async withLocalFile<T>(id: string, use: (path: string) => Promise<T>): Promise<T> {
    const { localDir } = this.options
    if (localDir !== null) {
      if (!(await this.disk.exists(id))) throw new StoredFileMissing(id)
      return use(path.join(localDir, id))
    }
    const source = await this.read(id)
    return this.withWorkFile(source, use)
  }

  has(id: string): Promise<boolean> {
    return this.disk.exists(id)
  }

  delete(id: string): Promise<void> {
    return this.disk.delete(id)
  }

  async hasRoomFor(bytes: number): Promise<boolean> {
    const { bavail, bsize } = await statfs(this.options.room.dir)
    return bavail * bsize - bytes >= this.options.room.minFreeBytes
  }

  async sweep(): Promise<void> {
    const { work } = this.options
    for (const name of await readdir(work)) {
      const file = path.join(work, name)
      const age = await ageOf(file)
      if (age !== null && age > abandonedAfterMs) await rm(file, { force: true })
    }
  }

  /** Ends with StorageFull once the reserved free space is reached, since other programs write to the disk too. */
  private async *watched(source: Readable): AsyncGenerator<Buffer> {
    let unseen = 0
    for await (const chunk of source as AsyncIterable<Buffer>) {
      unseen += chunk.length
      if (unseen >= lookEveryBytes) {
        if (!(await this.hasRoomFor(0))) throw new StorageFull()
        unseen = 0
      }
      yield chunk
    }
  }

  private viaWorkFolder(id: string, source: Readable): Promise<void> {
    return this.withWorkFile(source, async (file) => {
      const { size } = await stat(file)
      // flydrive omits a length of 0, and S3 refuses a stream without a length.
      if (size === 0) await this.disk.put(id, '')
      else await this.disk.putStream(id, createReadStream(file), { contentLength: size })
    })
  }

  private async withWorkFile<T>(source: Readable, use: (path: string) => Promise<T>): Promise<T> {
    const file = path.join(this.options.work, randomUUID())
    try {
      await pipeline(source, createWriteStream(file, { mode: 0o600 }))
      return await use(file)
    } catch (error) {
      throw isFull(error) ? new StorageFull(error) : error
    } finally {
      await rm(file, { force: true })
    }
  }
}

/** Returns the milliseconds since the last write; null if the file no longer exists. */
async function ageOf(file: string): Promise<number | null> {
  try {
    return Date.now() - (await stat(file)).mtimeMs
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw error
  }
}
