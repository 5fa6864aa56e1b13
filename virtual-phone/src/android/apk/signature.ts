/**
 * Finds the signers of an APK, after a check that its bytes are the signed bytes. Schemes v2 and v3 (and 3.1)
 * are verified completely; for v1 (JAR), only the certificate is read. Source: source.android.com, "APK
 * Signature Scheme v2" and "v3".
 */
import { constants, createHash, createPublicKey, type KeyObject, verify, X509Certificate } from 'node:crypto'
import { v1Certificate } from './jar-signature.js'
import { contentDigest } from './content-digest.js'
import { InstallError } from './error.js'
import { LengthReader } from './length-reader.js'
import type { ZipFile } from './zip.js'

export interface Signature {
  /** `apkSigningVersion`: 1, 2 or 3. */
  version: 1 | 2 | 3
  /** SHA-256 of each signer's first certificate, in hex, sorted. */
  certificates: readonly string[]
}

/** A larger signing block is treated as missing. */
const maxBlockBytes = 16 * 1024 ** 2
const blockMark = Buffer.from('APK Sig Block 42')

/** IDs of the pairs in the signing block. */
const schemes = [
  { id: 0x1b93ad61, version: 3, sinceSdk: 33 },
  { id: 0xf05368c0, version: 3, sinceSdk: 28 },
  { id: 0x7109871a, version: 2, sinceSdk: 24 },
] as const

interface Algorithm {
  hash: 'sha256' | 'sha512'
  padding?: number
}

/** Algorithms whose digest covers chunks of 1 MiB; fs-verity digests are ignored if one of these is present. */
const algorithms: Readonly<Record<number, Algorithm>> = {
  0x0101: { hash: 'sha256', padding: constants.RSA_PKCS1_PSS_PADDING },
  0x0102: { hash: 'sha512', padding: constants.RSA_PKCS1_PSS_PADDING },
  0x0103: { hash: 'sha256' },
  0x0104: { hash: 'sha512' },
  0x0201: { hash: 'sha256' },
  0x0202: { hash: 'sha512' },
  0x0301: { hash: 'sha256' },
}

/** @throws InstallError `INSTALL_PARSE_FAILED_NO_CERTIFICATES` for an unsigned or changed APK */
export async function readSignature(zip: ZipFile): Promise<Signature> {
  const block = await findBlock(zip)
  for (const scheme of schemes) {
    const pair = block?.pairs.get(scheme.id)
    if (block === null || pair === undefined) continue
    const certificates = await checkScheme(zip, block.offset, pair, scheme.version)
    return { version: scheme.version, certificates }
  }
  const certificate = await v1Certificate(zip)
  if (certificate === null) throw noCertificates('no signature was found')
  return { version: 1, certificates: [fingerprint(certificate)] }
}

async function findBlock(zip: ZipFile): Promise<{ offset: number; pairs: Map<number, Buffer> } | null> {
  if (zip.directoryOffset < 32) return null
  const footer = await zip.slice(zip.directoryOffset - 24, 24)
  if (!footer.subarray(8).equals(blockMark)) return null
  const size = Number(footer.readBigUInt64LE(0))
  const offset = zip.directoryOffset - size - 8
  if (size < 24 || size > maxBlockBytes || offset < 0) throw noCertificates('bad signing block')
  const block = await zip.slice(offset, size - 16)
  if (block.readBigUInt64LE(0) !== footer.readBigUInt64LE(0)) throw noCertificates('bad signing block')
  const pairs = new Map<number, Buffer>()
  for (let at = 8; at + 12 <= block.length;) {
    const length = Number(block.readBigUInt64LE(at))
    if (length < 4 || at + 8 + length > block.length) throw noCertificates('bad signing block')
    pairs.set(block.readUInt32LE(at + 8), block.subarray(at + 12, at + 8 + length))
    at += 8 + length
  }
  return { offset, pairs }
}

async function checkScheme(zip: ZipFile, offset: number, pair: Buffer, version: 2 | 3): Promise<string[]> {
  try {
    const signers = new LengthReader(new LengthReader(pair).next()).all()
    if (signers.length === 0) throw noCertificates('no signers')
    const certificates: string[] = []
    for (const signer of signers) certificates.push(await checkSigner(zip, offset, signer, version))
    return certificates.sort()
  } catch (error) {
    if (error instanceof InstallError) throw error
    // Any parser error on foreign bytes means an invalid signature.
    throw noCertificates(error instanceof Error ? error.message : String(error))
  }
}

/** Returns the fingerprint of the signer's certificate. */
async function checkSigner(zip: ZipFile, offset: number, bytes: Buffer, version: 2 | 3): Promise<string> {
  const signer = new LengthReader(bytes)
  const signedData = signer.next()
  if (version === 3) signer.skip(8)
  const signatures = new LengthReader(signer.next()).all()
  const key = createPublicKey({ key: signer.next(), format: 'der', type: 'spki' })
  const signed = new LengthReader(signedData)
  const digests = new LengthReader(signed.next()).all()
  const certificates = new LengthReader(signed.next()).all()
  const [certificate] = certificates
  if (certificate === undefined) throw noCertificates('no certificate')
  if (!new X509Certificate(certificate).publicKey.equals(key))
    throw noCertificates('the key is not the certificate’s')
  const known = signatures.find((each) => algorithms[each.readUInt32LE(0)] !== undefined)
  if (known === undefined) throw noCertificates('no supported signatures')
  const id = known.readUInt32LE(0)
  const algorithm = algorithms[id]
  if (algorithm === undefined || !isSigned(signedData, new LengthReader(known, 4).next(), key, algorithm))
    throw noCertificates('signature did not verify')
  const digest = digests.find((each) => each.readUInt32LE(0) === id)
  if (digest === undefined) throw noCertificates('no digest')
  const actual = await contentDigest(zip, offset, algorithm.hash)
  if (!actual.equals(new LengthReader(digest, 4).next()))
    throw noCertificates(`${algorithm.hash} digest of contents did not verify`)
  return fingerprint(certificate)
}

function isSigned(data: Buffer, signature: Buffer, key: KeyObject, { hash, padding }: Algorithm): boolean {
  const how = padding === undefined ? { key } : { key, padding, saltLength: constants.RSA_PSS_SALTLEN_DIGEST }
  return verify(hash, data, how, signature)
}

function fingerprint(certificate: Buffer): string {
  return createHash('sha256').update(certificate).digest('hex')
}

function noCertificates(why: string): InstallError {
  return new InstallError(
    'INSTALL_PARSE_FAILED_NO_CERTIFICATES',
    `Failed to collect certificates from base.apk: ${why}`,
  )
}
