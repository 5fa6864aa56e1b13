/**
 * Small APKs for tests of uploads and installs: a binary manifest, and scheme v2 with a key of this process. Source of the formats: AOSP `androidfw/ResourceTypes.h`.
 */
import 'reflect-metadata'
import { createHash, createPrivateKey, sign } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { X509CertificateGenerator } from '@peculiar/x509'

/** Whose the made APKs are. */
const signer = await (async () => {
  // RSA, whose signatures all have one length: tests count bytes.
  const algorithm = {
    name: 'RSASSA-PKCS1-v1_5',
    modulusLength: 2048,
    publicExponent: new Uint8Array([1, 0, 1]),
    hash: 'SHA-256',
  }
  const keys = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
  const certificate = await X509CertificateGenerator.createSelfSigned({
    name: 'CN=test',
    keys,
    signingAlgorithm: algorithm,
  })
  const pkcs8 = Buffer.from(await crypto.subtle.exportKey('pkcs8', keys.privateKey))
  return {
    certificate: Buffer.from(certificate.rawData),
    publicKey: Buffer.from(certificate.publicKey.rawData),
    key: createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' }),
  }
})()

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
  /** Further entries of the archive. */
  files?: Readonly<Record<string, Buffer>>
}

/** An APK of its own package and bytes for each different setting. */
export function makeApk(settings: ApkSettings = {}): Buffer {
  const entries = { 'AndroidManifest.xml': manifest(settings), ...settings.files }
  return settings.signed === false ? zipOf(entries) : zipOf(entries, signingBlock)
}

type Value = string | number | boolean

interface Element {
  tag: string
  attributes: Record<string, Value>
  children?: Element[]
}

/** Known by their resource ID only, as after a shrinker. */
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

/** APK Signature Scheme v2. `sections`: entries, directory, and end record without the block. */
function signingBlock(sections: readonly Buffer[]): Buffer {
  const chunks = sections.flatMap((section) =>
    Array.from({ length: Math.ceil(section.length / 2 ** 20) }, (_, at) => {
      const bytes = section.subarray(at * 2 ** 20, (at + 1) * 2 ** 20)
      return hashOf(Buffer.from([0xa5]), words(bytes.length), bytes)
    }),
  )
  const digest = hashOf(Buffer.from([0x5a]), words(chunks.length), ...chunks)
  const signedData = Buffer.concat([
    sized(sized(Buffer.concat([words(rsaSha256), sized(digest)]))),
    sized(sized(signer.certificate)),
    sized(Buffer.alloc(0)),
  ])
  const signature = Buffer.concat([words(rsaSha256), sized(sign('sha256', signedData, signer.key))])
  const one = Buffer.concat([sized(signedData), sized(sized(signature)), sized(signer.publicKey)])
  const value = Buffer.concat([words(0x7109871a), sized(sized(one))])
  const size = long(8 + value.length + 24)
  return Buffer.concat([size, long(value.length), value, size, Buffer.from('APK Sig Block 42')])
}

const rsaSha256 = 0x0103

const hashOf = (...parts: readonly Buffer[]): Buffer =>
  createHash('sha256').update(Buffer.concat(parts)).digest()

/** A ZIP file of stored entries, with what `blockOf` makes of its parts before its directory. */
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

function words(...values: number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length)
  values.forEach((value, index) => bytes.writeUInt32LE(value >>> 0, 4 * index))
  return bytes
}

function shorts(...values: number[]): Buffer {
  const bytes = Buffer.alloc(2 * values.length)
  values.forEach((value, index) => bytes.writeUInt16LE(value, 2 * index))
  return bytes
}

function long(value: number): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64LE(BigInt(value))
  return bytes
}

const sized = (bytes: Buffer): Buffer => Buffer.concat([words(bytes.length), bytes])
