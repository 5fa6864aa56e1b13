/** Open files: readers and writers of a node's contents. Created by `file-system.ts`. */
import type { FileHandle } from 'node:fs/promises'
import { BrokenPipe, type ByteSink, type ByteSource } from '../android/streams.js'
import { FsError } from './errors.js'
import type { DeviceNode, FileNode, GeneratedNode, LinkNode } from './inode.js'
import type { Volume } from './volume.js'

export interface FileReader extends ByteSource {
  close(): Promise<void>
}

export interface FileWriter extends ByteSink {
  close(): Promise<void>
}

export type WriteMode = 'truncate' | 'append' | 'keep'

const chunkBytes = 64 * 1024

export async function openForRead(
  volume: Volume,
  node: FileNode | LinkNode | GeneratedNode | DeviceNode,
): Promise<FileReader> {
  if (node.kind === 'file') return new BlobReader(await volume.blobs.openRead(node.ino))
  if (node.kind === 'device')
    return { read: () => Promise.resolve(node.read()), close: () => Promise.resolve() }
  let content: Buffer | null = node.kind === 'generated' ? node.content() : null
  const read = () => {
    const chunk = content
    content = null
    return Promise.resolve(chunk?.length === 0 ? null : chunk)
  }
  return { read, close: () => Promise.resolve() }
}

export async function openForWrite(
  volume: Volume,
  node: FileNode | DeviceNode,
  how: WriteMode,
  path: string,
): Promise<FileWriter> {
  if (node.kind === 'device') return { write: () => Promise.resolve(), close: () => Promise.resolve() }
  const handle = await volume.blobs.openWrite(node.ino, how)
  if (how === 'truncate') {
    volume.resize(node, 0)
    node.mtimeMs = Date.now()
  }
  return new BlobWriter(volume, node, handle, how === 'append', path)
}

class BlobReader implements FileReader {
  private closed = false

  constructor(private readonly handle: FileHandle) {}

  async read(): Promise<Buffer | null> {
    if (this.closed) return null
    const { bytesRead, buffer } = await this.handle.read(Buffer.allocUnsafe(chunkBytes), 0, chunkBytes, null)
    if (bytesRead > 0) return buffer.subarray(0, bytesRead)
    await this.close()
    return null
  }

  async close(): Promise<void> {
    if (this.closed) return
    this.closed = true
    await this.handle.close()
  }
}

class BlobWriter implements FileWriter {
  private at = 0
  private closed = false

  constructor(
    private readonly volume: Volume,
    private readonly node: FileNode,
    private readonly handle: FileHandle,
    private readonly append: boolean,
    private readonly path: string,
  ) {}

  async write(chunk: Buffer): Promise<void> {
    const start = this.append ? this.node.size : this.at
    const end = start + chunk.length
    if (end > this.node.size && !this.volume.hasRoom(end - this.node.size))
      throw new FsError('ENOSPC', this.path)
    // The size is reserved first, since two concurrent appends must not use the same offset.
    if (end > this.node.size) this.volume.resize(this.node, end)
    this.at = end
    for (let done = 0; done < chunk.length;) {
      const { bytesWritten } = await this.handle.write(
        chunk,
        done,
        chunk.length - done,
        this.append ? null : start + done,
      )
      done += bytesWritten
    }
    this.node.mtimeMs = Date.now()
  }

  async close(): Promise<void> {
    if (this.closed) return
    this.closed = true
    await this.handle.close()
    this.volume.changed()
  }
}

/** Wraps a file so that every call fails after its process has ended. */
export function endedBy<T extends FileReader | FileWriter>(file: T, signal: AbortSignal | null): T {
  if (signal === null) return file
  const check = () => (signal.aborted ? Promise.reject(new BrokenPipe()) : null)
  const guarded: FileReader | FileWriter =
    'read' in file
      ? { read: () => check() ?? file.read(), close: () => file.close() }
      : { write: (chunk: Buffer) => check() ?? file.write(chunk), close: () => file.close() }
  return guarded as T
}
