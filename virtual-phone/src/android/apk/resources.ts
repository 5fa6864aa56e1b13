/** Looks texts up in an APK's resource table (`resources.arsc`), in its default configuration. Source: AOSP `androidfw/ResourceTypes.h`. */
import { type Chunk, chunksOf, firstChunk, readValue, StringPool, typedValue, type Value } from './chunks.js'

const type = { pool: 0x0001, table: 0x0002, package: 0x0200, typeChunk: 0x0201 } as const
const sparseFlag = 0x01
const shortOffsetsFlag = 0x02
const complexFlag = 0x0001
const compactFlag = 0x0008
const maxReferences = 8
/** `ResTable_type.config.density`, from the chunk's first byte. */
const densityOffset = 34

/** Returns the text of a resource, or null. Follows references to other resources. @throws ChunkError or RangeError */
export function resourceText(file: Buffer, resource: number): string | null {
  const table = firstChunk(file, type.table)
  const chunks = [...chunksOf(table.bytes, table.headerBytes)]
  const poolChunk = chunks.find((chunk) => chunk.type === type.pool)
  if (poolChunk === undefined) return null
  const pool = new StringPool(poolChunk)
  let wanted = resource
  for (let step = 0; step < maxReferences; step++) {
    const value = lookUp(chunks, wanted, pool)
    if (typeof value === 'string') return value
    if (typeof value !== 'object' || value === null) return null
    wanted = value.resource
  }
  return null
}

function lookUp(chunks: readonly Chunk[], resource: number, pool: StringPool): Value {
  let fallback: Value = null
  for (const inner of typeChunks(chunks, resource)) {
    const value = entryValue(inner, resource & 0xffff, pool)
    if (value === null) continue
    if (isDefault(inner)) return value
    fallback ??= value
  }
  return fallback
}

/** Returns the files of a resource with the screen density of each (0 for any density). @throws ChunkError or RangeError */
export function resourceFiles(file: Buffer, resource: number): { path: string; density: number }[] {
  const table = firstChunk(file, type.table)
  const chunks = [...chunksOf(table.bytes, table.headerBytes)]
  const poolChunk = chunks.find((chunk) => chunk.type === type.pool)
  if (poolChunk === undefined) return []
  const pool = new StringPool(poolChunk)
  const files: { path: string; density: number }[] = []
  for (const inner of typeChunks(chunks, resource)) {
    const value = entryValue(inner, resource & 0xffff, pool)
    if (typeof value === 'string')
      files.push({ path: value, density: inner.bytes.readUInt16LE(densityOffset) })
  }
  return files
}

/** Yields a package's entries of one resource type, one chunk per configuration. */
function* typeChunks(chunks: readonly Chunk[], resource: number): Generator<Chunk> {
  for (const chunk of chunks) {
    if (chunk.type !== type.package || chunk.bytes.readUInt32LE(8) !== resource >>> 24) continue
    for (const inner of chunksOf(chunk.bytes, chunk.headerBytes)) {
      if (inner.type === type.typeChunk && inner.bytes.readUInt8(8) === ((resource >>> 16) & 0xff))
        yield inner
    }
  }
}

/** Whether a chunk is of the default configuration: all bytes after its size are zero. */
function isDefault({ bytes, headerBytes }: Chunk): boolean {
  return bytes.subarray(24, headerBytes).every((byte) => byte === 0)
}

function entryValue({ bytes, headerBytes }: Chunk, index: number, pool: StringPool): Value {
  const offset = entryOffset(bytes, headerBytes, index)
  if (offset === null) return null
  const at = bytes.readUInt32LE(16) + offset
  const flags = bytes.readUInt16LE(at + 2)
  if ((flags & compactFlag) !== 0) return typedValue(flags >>> 8, bytes.readUInt32LE(at + 4), pool)
  if ((flags & complexFlag) !== 0) return null
  return readValue(bytes, at + bytes.readUInt16LE(at), pool)
}

function entryOffset(bytes: Buffer, headerBytes: number, index: number): number | null {
  const flags = bytes.readUInt8(9)
  const count = bytes.readUInt32LE(12)
  if ((flags & sparseFlag) !== 0) {
    for (let each = 0; each < count; each++) {
      const at = headerBytes + each * 4
      if (bytes.readUInt16LE(at) === index) return bytes.readUInt16LE(at + 2) * 4
    }
    return null
  }
  if (index >= count) return null
  if ((flags & shortOffsetsFlag) !== 0) {
    const offset = bytes.readUInt16LE(headerBytes + index * 2)
    return offset === 0xffff ? null : offset * 4
  }
  const offset = bytes.readUInt32LE(headerBytes + index * 4)
  return offset === 0xffffffff ? null : offset
}
