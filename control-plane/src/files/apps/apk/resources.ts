/**
 * Looks up one text, an app's label, in the default configuration of an APK's resource table (`resources.arsc`).
 * Written here because the manifest library does not read the table, and other libraries read whole APKs into memory.
 * Source: AOSP `androidfw/ResourceTypes.h`.
 */
import { unreadable } from './facts.js'

const chunkType = { pool: 0x0001, table: 0x0002, package: 0x0200, type: 0x0201 } as const
const valueType = { reference: 0x01, string: 0x03 } as const
/** Flags of a type chunk's entries. */
const flag = { sparse: 0x01, shortOffsets: 0x02, complex: 0x0001, compact: 0x0008 } as const
/** Number of references between texts that are followed. */
const maxSteps = 8

interface Chunk {
  type: number
  headerBytes: number
  bytes: Buffer
}

/** Null when the resource has no text. @throws InvalidApk for bytes that are not a table */
export function resourceText(table: Buffer, resource: number): string | null {
  try {
    return find(table, resource)
  } catch (error) {
    throw unreadable('resource table', error)
  }
}

function find(bytes: Buffer, resource: number): string | null {
  const table = chunkAt(bytes, 0)
  if (table.type !== chunkType.table) throw new Error('no resource table')
  const chunks = [...chunksIn(table)]
  const pool = chunks.find((chunk) => chunk.type === chunkType.pool)
  if (!pool) return null
  let wanted = resource
  for (let step = 0; step < maxSteps; step += 1) {
    const value = valueOf(chunks, wanted)
    if (value?.type === valueType.string) return stringAt(pool, value.data)
    if (value?.type !== valueType.reference) return null
    wanted = value.data
  }
  return null
}

function chunkAt(bytes: Buffer, at: number): Chunk {
  const size = bytes.readUInt32LE(at + 4)
  const headerBytes = bytes.readUInt16LE(at + 2)
  if (size < 8 || headerBytes < 8 || headerBytes > size || at + size > bytes.length)
    throw new Error('a chunk of impossible size')
  return { type: bytes.readUInt16LE(at), headerBytes, bytes: bytes.subarray(at, at + size) }
}

function* chunksIn({ bytes, headerBytes }: Chunk): Generator<Chunk> {
  for (let at = headerBytes; at + 8 <= bytes.length;) {
    const chunk = chunkAt(bytes, at)
    yield chunk
    at += chunk.bytes.length
  }
}

interface Value {
  type: number
  data: number
}

/**
 * Returns the value of the configuration without qualifiers, or else of the first configuration that has the resource.
 */
function valueOf(chunks: readonly Chunk[], resource: number): Value | null {
  let other: Value | null = null
  for (const holder of chunks) {
    if (holder.type !== chunkType.package || holder.bytes.readUInt32LE(8) !== resource >>> 24) continue
    for (const chunk of chunksIn(holder)) {
      if (chunk.type !== chunkType.type || chunk.bytes.readUInt8(8) !== ((resource >>> 16) & 0xff)) continue
      const value = entryIn(chunk, resource & 0xffff)
      if (value && isDefault(chunk)) return value
      other ??= value
    }
  }
  return other
}

const isDefault = ({ bytes, headerBytes }: Chunk): boolean =>
  bytes.subarray(24, headerBytes).every((byte) => byte === 0)

function entryIn(chunk: Chunk, index: number): Value | null {
  const offset = offsetOf(chunk, index)
  if (offset === null) return null
  const { bytes } = chunk
  const at = bytes.readUInt32LE(16) + offset
  const flags = bytes.readUInt16LE(at + 2)
  if ((flags & flag.compact) !== 0) return { type: flags >>> 8, data: bytes.readUInt32LE(at + 4) }
  if ((flags & flag.complex) !== 0) return null
  const value = at + bytes.readUInt16LE(at)
  return { type: bytes.readUInt8(value + 3), data: bytes.readUInt32LE(value + 4) }
}

function offsetOf({ bytes, headerBytes }: Chunk, index: number): number | null {
  const flags = bytes.readUInt8(9)
  const count = bytes.readUInt32LE(12)
  if ((flags & flag.sparse) !== 0) {
    for (let each = 0; each < count; each += 1) {
      const at = headerBytes + each * 4
      if (bytes.readUInt16LE(at) === index) return bytes.readUInt16LE(at + 2) * 4
    }
    return null
  }
  if (index >= count) return null
  const short = (flags & flag.shortOffsets) !== 0
  const offset = short
    ? bytes.readUInt16LE(headerBytes + index * 2)
    : bytes.readUInt32LE(headerBytes + index * 4)
  if (offset === (short ? 0xffff : 0xffffffff)) return null
  return short ? offset * 4 : offset
}

function stringAt({ bytes, headerBytes }: Chunk, index: number): string | null {
  if (index >= bytes.readUInt32LE(8)) return null
  const at = bytes.readUInt32LE(20) + bytes.readUInt32LE(headerBytes + index * 4)
  const isUtf8 = (bytes.readUInt32LE(16) & 0x100) !== 0
  if (!isUtf8) {
    const [length, start] = longLength(bytes, at)
    return bytes.toString('utf16le', start, start + length * 2)
  }
  const [, second] = shortLength(bytes, at)
  const [length, start] = shortLength(bytes, second)
  return bytes.toString('utf8', start, start + length)
}

/** Reads a length of one byte, or of two bytes if the first has its high bit. Returns the length and its end. */
function shortLength(bytes: Buffer, at: number): [number, number] {
  const first = bytes.readUInt8(at)
  return (first & 0x80) === 0 ? [first, at + 1] : [((first & 0x7f) << 8) | bytes.readUInt8(at + 1), at + 2]
}

function longLength(bytes: Buffer, at: number): [number, number] {
  const first = bytes.readUInt16LE(at)
  return (first & 0x8000) === 0
    ? [first, at + 2]
    : [(first & 0x7fff) * 0x10000 + bytes.readUInt16LE(at + 2), at + 4]
}
