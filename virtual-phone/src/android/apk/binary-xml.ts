/** Android's binary XML, as `AndroidManifest.xml` of an APK is written. Source: AOSP `androidfw/ResourceTypes.h`. */
import { ChunkError, chunksOf, firstChunk, readValue, StringPool, type Value } from './chunks.js'

export interface XmlElement {
  tag: string
  attributes: ReadonlyMap<string, Value>
  children: readonly XmlElement[]
}

const type = { pool: 0x0001, xml: 0x0003, start: 0x0102, end: 0x0103, resourceMap: 0x0180 } as const
const none = 0xffffffff

/** Names of the attributes that we read, by resource number, because some tools strip the names. AOSP `public-final.xml`. */
const attributeNames: Readonly<Record<number, string>> = {
  0x01010001: 'label',
  0x01010003: 'name',
  0x0101000e: 'enabled',
  0x0101000f: 'debuggable',
  0x01010010: 'exported',
  0x01010021: 'targetPackage',
  0x01010202: 'targetActivity',
  0x0101020c: 'minSdkVersion',
  0x0101021b: 'versionCode',
  0x0101021c: 'versionName',
  0x01010270: 'targetSdkVersion',
  0x01010272: 'testOnly',
  0x01010576: 'versionCodeMajor',
  0x01010591: 'isSplitRequired',
}

/** Returns the root element. @throws ChunkError or RangeError for bytes that are not binary XML */
export function parseBinaryXml(file: Buffer): XmlElement {
  const root = firstChunk(file, type.xml)
  let pool: StringPool | null = null
  let map: Buffer = Buffer.alloc(0)
  const top: XmlElement[] = []
  const open: { tag: string; children: XmlElement[] }[] = []
  for (const chunk of chunksOf(root.bytes, root.headerBytes)) {
    const { bytes, headerBytes } = chunk
    if (chunk.type === type.pool) pool ??= new StringPool(chunk)
    else if (chunk.type === type.resourceMap) map = bytes.subarray(headerBytes)
    else if (chunk.type === type.start) {
      if (pool === null) throw new ChunkError('no string pool')
      const tag = pool.at(bytes.readUInt32LE(headerBytes + 4)) ?? ''
      const children: XmlElement[] = []
      const element = { tag, attributes: readAttributes(bytes, headerBytes, pool, map), children }
      const parent = open.at(-1)?.children ?? top
      parent.push(element)
      open.push(element)
    } else if (chunk.type === type.end) open.pop()
  }
  const [element] = top
  if (element === undefined) throw new ChunkError('no element')
  return element
}

function readAttributes(bytes: Buffer, at: number, pool: StringPool, map: Buffer): Map<string, Value> {
  const start = at + bytes.readUInt16LE(at + 8)
  const size = bytes.readUInt16LE(at + 10)
  const count = bytes.readUInt16LE(at + 12)
  const attributes = new Map<string, Value>()
  for (let index = 0; index < count; index++) {
    const each = start + index * size
    const name = bytes.readUInt32LE(each + 4)
    const known = (name + 1) * 4 <= map.length ? attributeNames[map.readUInt32LE(name * 4)] : undefined
    const raw = bytes.readUInt32LE(each + 8)
    const value = readValue(bytes, each + 12, pool)
    attributes.set(known ?? pool.at(name) ?? '', value ?? (raw === none ? null : pool.at(raw)))
  }
  return attributes
}

/** Returns the child elements with this tag. */
export function childrenOf(element: XmlElement | undefined, ...tags: string[]): XmlElement[] {
  return element?.children.filter((child) => tags.includes(child.tag)) ?? []
}
