/** Makes small APKs, signed by scheme v2 with a key of the test. Used by the package manager's tests. */
import { createHash, createPrivateKey, sign } from 'node:crypto'
import { crc32 } from 'node:zlib'
import 'reflect-metadata'
import { X509CertificateGenerator } from '@peculiar/x509'
import { type Element, writeBinaryXml } from './binary-xml.js'

export interface Signer {
  certificate: Buffer
  publicKey: Buffer
  /** ECDSA with SHA-256. */
  sign(data: Buffer): Buffer
}

export async function newSigner(name: string): Promise<Signer> {
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
  const keys = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
  const certificate = await X509CertificateGenerator.createSelfSigned({
    name: `CN=${name}`,
    keys,
    signingAlgorithm: algorithm,
  })
  const privateKey = createPrivateKey({
    key: Buffer.from(await crypto.subtle.exportKey('pkcs8', keys.privateKey)),
    format: 'der',
    type: 'pkcs8',
  })
  return {
    certificate: Buffer.from(certificate.rawData),
    publicKey: Buffer.from(certificate.publicKey.rawData),
    sign: (data) => sign('sha256', data, privateKey),
  }
}

export interface ApkSettings {
  package: string
  versionCode: number
  versionName?: string
  label?: string
  split?: string
  minSdk?: number
  targetSdk?: number
  debuggable?: boolean
  testOnly?: boolean
  splitRequired?: boolean
  permissions?: readonly string[]
  /** Class name of the launcher's activity. */
  activity?: string
  /** Further entries of the archive. */
  files?: Readonly<Record<string, Buffer>>
}

/** Without a signer, the APK is unsigned. */
export function makeApk(settings: ApkSettings, signer: Signer | null): Buffer {
  const entries = { 'AndroidManifest.xml': writeBinaryXml(manifestOf(settings)), ...settings.files }
  const { contents, directory, end } = zipOf(entries)
  if (signer === null) return Buffer.concat([contents, directory, endAt(end, contents.length)])
  const block = signingBlock([contents, directory, endAt(end, contents.length)], signer)
  return Buffer.concat([contents, block, directory, endAt(end, contents.length + block.length)])
}

function manifestOf(settings: ApkSettings): Element {
  const filter: Element = {
    tag: 'intent-filter',
    children: [
      { tag: 'action', attributes: { name: 'android.intent.action.MAIN' } },
      { tag: 'category', attributes: { name: 'android.intent.category.LAUNCHER' } },
    ],
  }
  const activity = { tag: 'activity', attributes: { name: settings.activity ?? '' }, children: [filter] }
  return {
    tag: 'manifest',
    attributes: {
      package: settings.package,
      versionCode: settings.versionCode,
      versionName: settings.versionName ?? `${settings.versionCode}.0`,
      ...(settings.split === undefined ? {} : { split: settings.split }),
      ...(settings.splitRequired === true ? { isSplitRequired: true } : {}),
    },
    children: [
      {
        tag: 'uses-sdk',
        attributes: { minSdkVersion: settings.minSdk ?? 26, targetSdkVersion: settings.targetSdk ?? 34 },
      },
      ...(settings.permissions ?? []).map((name) => ({ tag: 'uses-permission', attributes: { name } })),
      {
        tag: 'application',
        attributes: {
          label: settings.label ?? settings.package,
          debuggable: settings.debuggable === true,
          testOnly: settings.testOnly === true,
        },
        children: settings.activity === undefined ? [] : [activity],
      },
    ],
  }
}

function zipOf(entries: Readonly<Record<string, Buffer>>) {
  const contents: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const [name, content] of Object.entries(entries)) {
    const nameBytes = Buffer.from(name)
    const common = Buffer.alloc(26)
    common.writeUInt16LE(20, 0)
    common.writeUInt32LE(crc32(content), 10)
    common.writeUInt32LE(content.length, 14)
    common.writeUInt32LE(content.length, 18)
    common.writeUInt16LE(nameBytes.length, 22)
    contents.push(Buffer.from('PK\x03\x04'), common, nameBytes, content)
    const rest = Buffer.alloc(14)
    rest.writeUInt32LE(offset, 10)
    directory.push(Buffer.from('PK\x01\x02\x14\x00', 'latin1'), common, rest, nameBytes)
    offset += 30 + nameBytes.length + content.length
  }
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06', 'latin1')
  end.writeUInt16LE(directory.length / 4, 8)
  end.writeUInt16LE(directory.length / 4, 10)
  end.writeUInt32LE(Buffer.concat(directory).length, 12)
  return { contents: Buffer.concat(contents), directory: Buffer.concat(directory), end }
}

function endAt(end: Buffer, directoryOffset: number): Buffer {
  const copy = Buffer.from(end)
  copy.writeUInt32LE(directoryOffset, 16)
  return copy
}

const ecdsaSha256 = 0x0201
const schemeV2 = 0x7109871a

/** Chunks of 1 MiB, as the scheme defines. */
const chunksOf = (section: Buffer): Buffer[] =>
  Array.from({ length: Math.ceil(section.length / 2 ** 20) }, (_, at) =>
    section.subarray(at * 2 ** 20, (at + 1) * 2 ** 20),
  )

/** `sections`: the data before the block, the directory, and the end record. */
function signingBlock(sections: readonly Buffer[], signer: Signer): Buffer {
  const digests = sections.flatMap(chunksOf).map((chunk) =>
    createHash('sha256')
      .update(Buffer.concat([Buffer.from([0xa5]), word(chunk.length), chunk]))
      .digest(),
  )
  const digest = createHash('sha256')
    .update(Buffer.concat([Buffer.from([0x5a]), word(digests.length), ...digests]))
    .digest()
  const signedData = Buffer.concat([
    sized(sized(Buffer.concat([word(ecdsaSha256), sized(digest)]))),
    sized(sized(signer.certificate)),
    sized(Buffer.alloc(0)),
  ])
  const signature = sized(Buffer.concat([word(ecdsaSha256), sized(signer.sign(signedData))]))
  const one = Buffer.concat([sized(signedData), sized(signature), sized(signer.publicKey)])
  const value = Buffer.concat([word(schemeV2), sized(sized(one))])
  const length = Buffer.alloc(8)
  length.writeBigUInt64LE(BigInt(value.length))
  const size = Buffer.alloc(8)
  size.writeBigUInt64LE(BigInt(8 + value.length + 24))
  return Buffer.concat([size, length, value, size, Buffer.from('APK Sig Block 42')])
}

function word(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}

function sized(bytes: Buffer): Buffer {
  return Buffer.concat([word(bytes.length), bytes])
}
