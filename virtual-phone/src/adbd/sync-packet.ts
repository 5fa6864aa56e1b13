/**
 * Messages of ADB's file sync protocol: writers, and a reader of requests.
 * All numbers little-endian. Source: AOSP `file_sync_protocol.h` and
 * `SYNC.TXT`. Used by `sync-service.ts`.
 */
import type { ByteSource } from '../android/streams.js'
import type { Stat } from '../fs/inode.js'

/** `SYNC_DATA_MAX`: the most bytes in one DATA message. */
export const maxDataBytes = 64 * 1024

interface SyncHeader {
  /** Four letters. */
  id: string
  /** Length of the following data; with DONE, the modification time in seconds. */
  value: number
}

/** Reads exact counts of bytes from a stream and buffers no more than needed. */
export class ExactReader {
  private chunks: Buffer[] = []
  private have = 0

  constructor(private readonly source: ByteSource) {}

  /** Null when the stream ends earlier. */
  async read(count: number): Promise<Buffer | null> {
    while (this.have < count) {
      const chunk = await this.source.read()
      if (chunk === null) return null
      this.chunks.push(chunk)
      this.have += chunk.length
    }
    const joined = this.chunks.length === 1 ? (this.chunks[0] ?? Buffer.alloc(0)) : Buffer.concat(this.chunks)
    this.chunks = joined.length > count ? [joined.subarray(count)] : []
    this.have -= count
    return joined.subarray(0, count)
  }

  async header(): Promise<SyncHeader | null> {
    const bytes = await this.read(8)
    return bytes === null ? null : { id: bytes.toString('latin1', 0, 4), value: bytes.readUInt32LE(4) }
  }
}

export function encodeHeader(id: string, value: number): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.write(id, 0, 'latin1')
  bytes.writeUInt32LE(value >>> 0, 4)
  return bytes
}

/** Encodes FAIL with a message. */
export function encodeFail(message: string): Buffer {
  const text = Buffer.from(message)
  return Buffer.concat([encodeHeader('FAIL', text.length), text])
}

/** Encodes the response to STAT; all fields are zero when the path does not exist. */
export function encodeStat1(stat: Stat | null): Buffer {
  return Buffer.concat([Buffer.from('STAT'), stat1Fields(stat)])
}

/** Encodes the response to STA2 and LST2, 72 bytes; `errno` 0 means success. */
export function encodeStat2(id: string, stat: Stat | null, errno: number): Buffer {
  return Buffer.concat([Buffer.from(id), stat2Fields(stat, errno)])
}

/** Encodes one entry of LIST. */
export function encodeEntry1(name: string, stat: Stat | null): Buffer {
  return Buffer.concat([Buffer.from('DENT'), stat1Fields(stat), nameFields(name)])
}

/** Encodes one entry of LIS2. */
export function encodeEntry2(name: string, stat: Stat | null, errno: number): Buffer {
  return Buffer.concat([Buffer.from('DNT2'), stat2Fields(stat, errno), nameFields(name)])
}

/** Encodes the end of a list: DONE and an empty entry. */
export function encodeListEnd(version: 1 | 2): Buffer {
  return Buffer.concat([Buffer.from('DONE'), Buffer.alloc(version === 1 ? 16 : 72)])
}

function nameFields(name: string): Buffer {
  const length = Buffer.alloc(4)
  length.writeUInt32LE(name.length, 0)
  return Buffer.concat([length, Buffer.from(name, 'latin1')])
}

function stat1Fields(stat: Stat | null): Buffer {
  const fields = Buffer.alloc(12)
  if (stat === null) return fields
  fields.writeUInt32LE(stat.mode, 0)
  fields.writeUInt32LE(stat.size % 2 ** 32, 4)
  fields.writeUInt32LE(Math.floor(stat.mtimeMs / 1000) >>> 0, 8)
  return fields
}

function stat2Fields(stat: Stat | null, errno: number): Buffer {
  const fields = Buffer.alloc(68)
  fields.writeUInt32LE(errno, 0)
  if (stat === null) return fields
  fields.writeBigUInt64LE(1n, 4)
  fields.writeBigUInt64LE(BigInt(stat.ino), 12)
  fields.writeUInt32LE(stat.mode, 20)
  fields.writeUInt32LE(stat.nlink, 24)
  fields.writeUInt32LE(stat.uid, 28)
  fields.writeUInt32LE(stat.gid, 32)
  fields.writeBigUInt64LE(BigInt(stat.size), 36)
  const seconds = BigInt(Math.floor(stat.mtimeMs / 1000))
  for (const offset of [44, 52, 60]) fields.writeBigInt64LE(seconds, offset)
  return fields
}
