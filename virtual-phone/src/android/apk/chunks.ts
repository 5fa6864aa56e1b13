/**
 * The common parts of binary XML and resource tables: chunks, string pools and typed values. Every size is
 * checked, since an APK may contain any bytes. Source: AOSP `androidfw/ResourceTypes.h`. Used by
 * `binary-xml.ts` and `resources.ts`.
 */

export class ChunkError extends Error {}

export interface Chunk {
  type: number
  /** From the chunk's first byte. */
  headerBytes: number
  bytes: Buffer
}

/** Reads the chunks of `bytes`, starting at `at`. @throws ChunkError */
export function* chunksOf(bytes: Buffer, at: number): Generator<Chunk> {
  while (at + 8 <= bytes.length) {
    const headerBytes = bytes.readUInt16LE(at + 2)
    const size = bytes.readUInt32LE(at + 4)
    if (headerBytes < 8 || size < headerBytes || at + size > bytes.length)
      throw new ChunkError('chunk of a bad size')
    yield { type: bytes.readUInt16LE(at), headerBytes, bytes: bytes.subarray(at, at + size) }
    at += size
  }
}

/** Reads a file that consists of one chunk. */
export function firstChunk(bytes: Buffer, type: number): Chunk {
  const [chunk] = chunksOf(bytes, 0)
  if (chunk?.type !== type) throw new ChunkError('not a file of this kind')
  return chunk
}

const utf8Flag = 0x100

/** Decodes a string when it is requested, because pools can be large. */
export class StringPool {
  private readonly count: number
  private readonly isUtf8: boolean
  private readonly start: number

  constructor(private readonly chunk: Chunk) {
    this.count = chunk.bytes.readUInt32LE(8)
    this.isUtf8 = (chunk.bytes.readUInt32LE(16) & utf8Flag) !== 0
    this.start = chunk.bytes.readUInt32LE(20)
  }

  /** Null for an invalid index. */
  at(index: number): string | null {
    const { bytes, headerBytes } = this.chunk
    if (index >= this.count) return null
    let at = this.start + bytes.readUInt32LE(headerBytes + index * 4)
    if (this.isUtf8) {
      at += (bytes.readUInt8(at) & 0x80) === 0 ? 1 : 2
      const first = bytes.readUInt8(at)
      const wide = (first & 0x80) !== 0
      const length = wide ? ((first & 0x7f) << 8) | bytes.readUInt8(at + 1) : first
      at += wide ? 2 : 1
      return bytes.toString('utf8', at, at + length)
    }
    const first = bytes.readUInt16LE(at)
    const wide = (first & 0x8000) !== 0
    const length = wide ? ((first & 0x7fff) << 16) | bytes.readUInt16LE(at + 2) : first
    at += wide ? 4 : 2
    return bytes.toString('utf16le', at, at + length * 2)
  }
}

const valueType = { reference: 0x01, string: 0x03, decimal: 0x10, hex: 0x11, boolean: 0x12 } as const

/** A typed value: a text, a number, a boolean, or a reference to a resource. Other types are null. */
export type Value = string | number | boolean | { resource: number } | null

/** Reads a `Res_value` at `at`. */
export function readValue(bytes: Buffer, at: number, pool: StringPool): Value {
  return typedValue(bytes.readUInt8(at + 3), bytes.readUInt32LE(at + 4), pool)
}

export function typedValue(type: number, data: number, pool: StringPool): Value {
  switch (type) {
    case valueType.reference:
      return { resource: data }
    case valueType.string:
      return pool.at(data)
    case valueType.decimal:
      return data | 0
    case valueType.hex:
      return data
    case valueType.boolean:
      return data !== 0
    default:
      return null
  }
}
