/** Signs APKs: keys, and the signing block. Source: source.android.com, "APK Signature Scheme v2" and "v3". */
import 'reflect-metadata'
import { constants, createHash, generateKeyPairSync, sign, webcrypto, type KeyObject } from 'node:crypto'
import { X509CertificateGenerator } from '@peculiar/x509'
import { words } from './chunks.js'

/** A signature algorithm of the format, by its ID. */
interface Algorithm {
  id: number
  hash: 'sha256' | 'sha512'
  pssSalt?: number
}
export const algorithms = {
  rsaPss256: { id: 0x0101, hash: 'sha256', pssSalt: 32 },
  rsaPss512: { id: 0x0102, hash: 'sha512', pssSalt: 64 },
  rsa256: { id: 0x0103, hash: 'sha256' },
  rsa512: { id: 0x0104, hash: 'sha512' },
  ec256: { id: 0x0201, hash: 'sha256' },
  ec512: { id: 0x0202, hash: 'sha512' },
  dsa256: { id: 0x0301, hash: 'sha256' },
} as const satisfies Record<string, Algorithm>

export type KeyKind = 'rsa' | 'ec' | 'dsa' | 'ed25519'

export interface Signer {
  certificate: Buffer
  publicKey: Buffer
  key: KeyObject
}

/** Signs the certificates, since Web Cryptography has no DSA. Phones do not check who issued a certificate. */
const ecdsa = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
const issuer = await webcrypto.subtle.generateKey(ecdsa, true, ['sign', 'verify'])

function newKeys(kind: KeyKind) {
  switch (kind) {
    case 'rsa':
      return generateKeyPairSync('rsa', { modulusLength: 2048 })
    case 'ec':
      return generateKeyPairSync('ec', { namedCurve: 'P-256' })
    case 'dsa':
      return generateKeyPairSync('dsa', { modulusLength: 1024, divisorLength: 160 })
    case 'ed25519':
      return generateKeyPairSync('ed25519')
  }
}

export async function newSigner(name: string, kind: KeyKind = 'ec'): Promise<Signer> {
  const { privateKey, publicKey } = newKeys(kind)
  const spki = publicKey.export({ format: 'der', type: 'spki' })
  const certificate = await X509CertificateGenerator.create({
    subject: `CN=${name}`,
    issuer: 'CN=Phonerack samples and tests',
    publicKey: spki,
    signingKey: issuer.privateKey,
    signingAlgorithm: ecdsa,
  })
  return { certificate: Buffer.from(certificate.rawData), publicKey: spki, key: privateKey }
}

const schemeIds = { v2: 0x7109871a, v3: 0xf05368c0, 'v3.1': 0x1b93ad61 }

/** Default: one signer with one signature of scheme v2. */
export interface Signing {
  /** The algorithm that the signature names. Default: the usual algorithm of the key, which must be RSA or EC. */
  algorithm?: Algorithm
  schemes?: readonly (keyof typeof schemeIds)[]
  /** How often the signer is repeated in each scheme, its signature, and its digest in the signed data. */
  signers?: number
  signatures?: number
  digests?: number
}

/** Builds the APK Signing Block. `sections`: entries, directory, and end record without the block. */
export function signingBlock(sections: readonly Buffer[], by: Signer, signing: Signing = {}): Buffer {
  const pairs = (signing.schemes ?? ['v2']).map((scheme) => {
    const one = sized(signerOf(sections, by, signing, scheme !== 'v2'))
    const value = Buffer.concat([words(schemeIds[scheme]), sized(repeat(one, signing.signers))])
    return Buffer.concat([long(value.length), value])
  })
  const body = Buffer.concat(pairs)
  const size = long(body.length + 24)
  return Buffer.concat([size, body, size, Buffer.from('APK Sig Block 42')])
}

function signerOf(sections: readonly Buffer[], by: Signer, signing: Signing, isV3: boolean): Buffer {
  const usual = by.key.asymmetricKeyType === 'rsa' ? algorithms.rsa256 : algorithms.ec256
  const { algorithm = usual } = signing
  const { id, hash } = algorithm
  const levels = isV3 ? words(24, 0x7fffffff) : Buffer.alloc(0)
  const digest = sized(Buffer.concat([words(id), sized(contentDigest(sections, hash))]))
  const signedData = Buffer.concat([
    sized(repeat(digest, signing.digests)),
    sized(sized(by.certificate)),
    levels,
    sized(Buffer.alloc(0)),
  ])
  const signature = sized(Buffer.concat([words(id), sized(signatureOf(signedData, by, algorithm))]))
  return Buffer.concat([
    sized(signedData),
    levels,
    sized(repeat(signature, signing.signatures)),
    sized(by.publicKey),
  ])
}

function signatureOf(signedData: Buffer, { key }: Signer, { hash, pssSalt }: Algorithm): Buffer {
  // No algorithm of the format fits this key.
  if (key.asymmetricKeyType === 'ed25519') return sign(null, signedData, key)
  const pss = pssSalt === undefined ? {} : { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: pssSalt }
  return sign(hash, signedData, { key, ...pss })
}

function contentDigest(sections: readonly Buffer[], hash: Algorithm['hash']): Buffer {
  const hashOf = (...parts: readonly Buffer[]): Buffer =>
    createHash(hash).update(Buffer.concat(parts)).digest()
  const chunks = sections.flatMap((section) =>
    Array.from({ length: Math.ceil(section.length / 2 ** 20) }, (_, at) => {
      const bytes = section.subarray(at * 2 ** 20, (at + 1) * 2 ** 20)
      return hashOf(Buffer.from([0xa5]), words(bytes.length), bytes)
    }),
  )
  return hashOf(Buffer.from([0x5a]), words(chunks.length), ...chunks)
}

const repeat = (bytes: Buffer, times = 1): Buffer => Buffer.concat(Array.from({ length: times }, () => bytes))

function long(value: number): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64LE(BigInt(value))
  return bytes
}

const sized = (bytes: Buffer): Buffer => Buffer.concat([words(bytes.length), bytes])
