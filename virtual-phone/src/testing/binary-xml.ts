/** Writes Android's binary XML, for APKs that tests make. */

export type AttributeValue = string | number | boolean
export interface Element {
  tag: string
  /** Names of `android:` attributes; `package` and `split` have no namespace. */
  attributes?: Record<string, AttributeValue>
  children?: readonly Element[]
}

const resourceIds: Readonly<Record<string, number>> = {
  label: 0x01010001,
  name: 0x01010003,
  debuggable: 0x0101000f,
  minSdkVersion: 0x0101020c,
  versionCode: 0x0101021b,
  versionName: 0x0101021c,
  targetSdkVersion: 0x01010270,
  testOnly: 0x01010272,
  isSplitRequired: 0x01010591,
}
const none = 0xffffffff

export function writeBinaryXml(root: Element): Buffer {
  const strings = Object.keys(resourceIds)
  const indexOf = (text: string) => {
    if (!strings.includes(text)) strings.push(text)
    return strings.indexOf(text)
  }
  const body = Buffer.concat(elementChunks(root, indexOf))
  const map = words(Object.values(resourceIds))
  return chunk(
    0x0003,
    Buffer.alloc(0),
    Buffer.concat([stringPool(strings), chunk(0x0180, Buffer.alloc(0), map), body]),
  )
}

function elementChunks(element: Element, indexOf: (text: string) => number): Buffer[] {
  const attributes = Object.entries(element.attributes ?? {}).map(([name, value]) => {
    const isText = typeof value === 'string'
    const data = isText ? indexOf(value) : typeof value === 'boolean' ? (value ? none : 0) : value
    const type = isText ? 0x03 : typeof value === 'boolean' ? 0x12 : 0x10
    return words([none, indexOf(name), isText ? data : none, 8 | (type << 24), data])
  })
  const tag = indexOf(element.tag)
  const shape = Buffer.alloc(12)
  shape.writeUInt16LE(20, 0)
  shape.writeUInt16LE(20, 2)
  shape.writeUInt16LE(attributes.length, 4)
  const line = words([1, none])
  return [
    chunk(0x0102, line, Buffer.concat([words([none, tag]), shape, ...attributes])),
    ...(element.children ?? []).flatMap((child) => elementChunks(child, indexOf)),
    chunk(0x0103, line, words([none, tag])),
  ]
}

function stringPool(strings: readonly string[]): Buffer {
  const offsets: number[] = []
  const texts: Buffer[] = []
  let at = 0
  for (const text of strings) {
    offsets.push(at)
    const bytes = Buffer.alloc(4 + text.length * 2)
    bytes.writeUInt16LE(text.length, 0)
    bytes.write(text, 2, 'utf16le')
    texts.push(bytes)
    at += bytes.length
  }
  const padding = Buffer.alloc((4 - (at % 4)) % 4)
  const head = words([strings.length, 0, 0, 28 + strings.length * 4, 0])
  return chunk(0x0001, head, Buffer.concat([words(offsets), ...texts, padding]))
}

function chunk(type: number, head: Buffer, body: Buffer): Buffer {
  const start = Buffer.alloc(8)
  start.writeUInt16LE(type, 0)
  start.writeUInt16LE(8 + head.length, 2)
  start.writeUInt32LE(8 + head.length + body.length, 4)
  return Buffer.concat([start, head, body])
}

function words(values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4)
  values.forEach((value, index) => bytes.writeUInt32LE(value >>> 0, index * 4))
  return bytes
}
