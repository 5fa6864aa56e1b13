/**
 * Reads the zip structure of an APK from disk without loading the file: its
 * directory, and single small entries. The signing block needs the offsets
 * (`signature.ts`). Source: PKWARE APPNOTE, 4.3.
 */
import type { FileHandle } from 'node:fs/promises'
import { crc32, inflateRawSync } from 'node:zlib'

export class ZipError extends Error {}

interface Entry {
  method: number
  crc: number
  storedBytes: number
  bytes: number
  headerOffset: number
}

const endBytes = 22
const maxDirectoryBytes = 64 * 1024 ** 2

export class ZipFile {
  private constructor(
    private readonly handle: FileHandle,
    readonly size: number,
    readonly entries: ReadonlyMap<string, Entry>,
    readonly directoryOffset: number,
    readonly endOffset: number,
  ) {}

  /**
   * Opens an archive. The caller must close the handle.
   * @throws ZipError
   */
  static async open(handle: FileHandle): Promise<ZipFile> {
    const { size } = await handle.stat()
    const tailBytes = Math.min(size, endBytes + 0xffff)
    const tail = await readAt(handle, size - tailBytes, tailBytes)
    let at = tail.length - endBytes
    while (at >= 0 && !(tail.readUInt32LE(at) === 0x06054b50 && isEnd(tail, at))) at -= 1
    if (at < 0) throw new ZipError('no end of central directory')
    const endOffset = size - tailBytes + at
    const [count, bytes, offset] = [
      tail.readUInt16LE(at + 10),
      tail.readUInt32LE(at + 12),
      tail.readUInt32LE(at + 16),
    ]
    if (offset + bytes !== endOffset || bytes > maxDirectoryBytes)
      throw new ZipError('central directory out of place')
    const entries = readDirectory(await readAt(handle, offset, bytes), count)
    return new ZipFile(handle, size, entries, offset, endOffset)
  }

  slice(at: number, length: number): Promise<Buffer> {
    return readAt(this.handle, at, length)
  }

  /** Null for a missing entry. @throws ZipError, including when the entry is larger than `maxBytes` */
  async read(name: string, maxBytes: number): Promise<Buffer | null> {
    const entry = this.entries.get(name)
    if (entry === undefined) return null
    if (entry.bytes > maxBytes || entry.storedBytes > maxBytes) throw new ZipError(`${name} is too large`)
    const header = await readAt(this.handle, entry.headerOffset, 30)
    if (header.readUInt32LE(0) !== 0x04034b50) throw new ZipError(`${name} has no local header`)
    const start = entry.headerOffset + 30 + header.readUInt16LE(26) + header.readUInt16LE(28)
    const stored = await readAt(this.handle, start, entry.storedBytes)
    const content = unpack(stored, entry, name)
    if (content.length !== entry.bytes || crc32(content) !== entry.crc)
      throw new ZipError(`${name} is damaged`)
    return content
  }
}

function unpack(stored: Buffer, entry: Entry, name: string): Buffer {
  if (entry.method === 0) return stored
  if (entry.method !== 8) throw new ZipError(`${name} has compression ${entry.method}`)
  try {
    return inflateRawSync(stored, { maxOutputLength: Math.max(1, entry.bytes) })
  } catch (error) {
    throw new ZipError(`${name} is damaged`, { cause: error })
  }
}

/** A comment can contain the signature bytes, so its length must match. */
function isEnd(tail: Buffer, at: number): boolean {
  return at + endBytes + tail.readUInt16LE(at + 20) === tail.length
}

function readDirectory(bytes: Buffer, count: number): Map<string, Entry> {
  const entries = new Map<string, Entry>()
  let at = 0
  for (let index = 0; index < count; index++) {
    if (at + 46 > bytes.length || bytes.readUInt32LE(at) !== 0x02014b50)
      throw new ZipError('bad directory entry')
    const nameBytes = bytes.readUInt16LE(at + 28)
    const name = bytes.toString('utf8', at + 46, at + 46 + nameBytes)
    // Android's reader refuses an archive with duplicate names.
    if (entries.has(name)) throw new ZipError(`duplicate entry ${name}`)
    entries.set(name, {
      method: bytes.readUInt16LE(at + 10),
      crc: bytes.readUInt32LE(at + 16),
      storedBytes: bytes.readUInt32LE(at + 20),
      bytes: bytes.readUInt32LE(at + 24),
      headerOffset: bytes.readUInt32LE(at + 42),
    })
    at += 46 + nameBytes + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32)
  }
  return entries
}

async function readAt(handle: FileHandle, at: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length)
  let done = 0
  while (done < length) {
    const { bytesRead } = await handle.read(buffer, done, length - done, at + done)
    if (bytesRead === 0) throw new ZipError('file ends early')
    done += bytesRead
  }
  return buffer
}
