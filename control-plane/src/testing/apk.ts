/**
 * Builds small APKs for tests of uploads and installs: a binary manifest, and a signing block
 * (`apk-signer.ts`). Source of the formats: AOSP `androidfw/ResourceTypes.h`.
 */
import { crc32 } from 'node:zlib'
import { signingBlock, words, type Signing } from './apk-signer.js'

export interface ApkSettings {
  package?: string
  versionCode?: number
  versionName?: string
  /** A level, or a code name. */
  minSdk?: number | string
  targetSdk?: number
  split?: string
  splitRequired?: boolean
  label?: string
  /** Left out: true. */
  signed?: boolean
  signing?: Signing
  /** Further entries of the archive. */
  files?: Readonly<Record<string, Buffer>>
}

/** An APK whose package and bytes are unique to its settings. */
export function makeApk(settings: ApkSettings = {}): Buffer {
  const entries = { 'AndroidManifest.xml': manifest(settings), ...settings.files }
  return settings.signed === false
    ? zipOf(entries)
    : zipOf(entries, (sections) => signingBlock(sections, settings.signing))
}

type Value = string | number | boolean

interface Element {
  tag: string
  attributes: Record<string, Value>
  children?: Element[]
}

/** Attributes identified only by resource ID, as after a shrinker. */
const resourceIds: Readonly<Record<string, number>> = {
  label: 0x01010001,
  minSdkVersion: 0x0101020c,
  versionCode: 0x0101021b,
  versionName: 0x0101021c,
  targetSdkVersion: 0x01010270,
  isSplitRequired: 0x01010591,
}

const manifest = (settings: ApkSettings): Buffer =>
  binaryXml({
    tag: 'manifest',
    attributes: {
      package: settings.package ?? 'com.example.app',
      versionCode: settings.versionCode ?? 1,
      versionName: settings.versionName ?? '1.0',
      ...(settings.split === undefined ? {} : { split: settings.split }),
      ...(settings.splitRequired === undefined ? {} : { isSplitRequired: settings.splitRequired }),
    },
    children: [
      {
        tag: 'uses-sdk',
        attributes: { minSdkVersion: settings.minSdk ?? 26, targetSdkVersion: settings.targetSdk ?? 34 },
      },
      { tag: 'application', attributes: { label: settings.label ?? 'Example' } },
    ],
  })

export function binaryXml(root: Element): Buffer {
  const strings = Object.keys(resourceIds)
  const indexOf = (text: string): number => {
    if (!strings.includes(text)) strings.push(text)
    return strings.indexOf(text)
  }
  const write = ({ tag, attributes, children = [] }: Element): Buffer =>
    Buffer.concat([
      chunk(
        0x0102,
        words(1, -1),
        Buffer.concat([
          words(-1, indexOf(tag)),
          shorts(20, 20, Object.keys(attributes).length, 0, 0, 0),
          ...Object.entries(attributes).map(([name, value]) => attribute(indexOf, name, value)),
        ]),
      ),
      ...children.map(write),
      chunk(0x0103, words(1, -1), words(-1, indexOf(tag))),
    ])
  const elements = write(root)
  const map = chunk(0x0180, Buffer.alloc(0), words(...Object.values(resourceIds)))
  return chunk(0x0003, Buffer.alloc(0), Buffer.concat([pool(strings), map, elements]))
}

function attribute(indexOf: (text: string) => number, name: string, value: Value): Buffer {
  const isString = typeof value === 'string'
  const type = isString ? 0x03 : typeof value === 'boolean' ? 0x12 : 0x10
  const data = isString ? indexOf(value) : typeof value === 'boolean' ? (value ? -1 : 0) : value
  return Buffer.concat([
    words(-1, indexOf(name), isString ? data : -1),
    shorts(8),
    Buffer.from([0, type]),
    words(data),
  ])
}

/** In UTF-16. */
function pool(strings: readonly string[]): Buffer {
  const texts = strings.map((text) =>
    Buffer.concat([shorts(text.length), Buffer.from(text, 'utf16le'), shorts(0)]),
  )
  const offsets = texts.map((_, index) => texts.slice(0, index).reduce((sum, { length }) => sum + length, 0))
  const bytes = Buffer.concat(texts)
  const padded = Buffer.concat([bytes, Buffer.alloc((4 - (bytes.length % 4)) % 4)])
  const header = words(strings.length, 0, 0, 28 + 4 * strings.length, 0)
  return chunk(0x0001, header, Buffer.concat([words(...offsets), padded]))
}

const chunk = (type: number, header: Buffer, body: Buffer): Buffer =>
  Buffer.concat([shorts(type, 8 + header.length), words(8 + header.length + body.length), header, body])

/** A ZIP file of stored entries, with the result of `blockOf` before its directory. */
export function zipOf(
  entries: Readonly<Record<string, Buffer>>,
  blockOf: (sections: readonly Buffer[]) => Buffer = () => Buffer.alloc(0),
): Buffer {
  const contents: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const [name, content] of Object.entries(entries)) {
    const bytes = Buffer.from(name)
    const common = Buffer.concat([
      shorts(20, 0, 0, 0, 0),
      words(crc32(content), content.length, content.length),
      shorts(bytes.length, 0),
    ])
    contents.push(Buffer.from('PK\x03\x04'), common, bytes, content)
    directory.push(Buffer.from('PK\x01\x02\x14\x00'), common, shorts(0, 0, 0), words(0, offset), bytes)
    offset += 30 + bytes.length + content.length
  }
  const count = Object.keys(entries).length
  const list = Buffer.concat(directory)
  const endAt = (at: number): Buffer =>
    Buffer.concat([Buffer.from('PK\x05\x06'), shorts(0, 0, count, count), words(list.length, at), shorts(0)])
  const block = blockOf([Buffer.concat(contents), list, endAt(offset)])
  return Buffer.concat([...contents, block, list, endAt(offset + block.length)])
}

function shorts(...values: number[]): Buffer {
  const bytes = Buffer.alloc(2 * values.length)
  values.forEach((value, index) => bytes.writeUInt16LE(value, 2 * index))
  return bytes
}
