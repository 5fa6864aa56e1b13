/**
 * Verifies that the certificate in schemes v2 and v3 signed the digests next to it, as a phone does. The phone checks
 * keys and certificates that this machine's OpenSSL cannot read. Source: source.android.com, "APK Signature Scheme v2"
 * and "v3", "Signature algorithm IDs".
 */
import {
  constants,
  createPublicKey,
  verify,
  X509Certificate,
  type KeyObject,
  type VerifyKeyObjectInput,
} from 'node:crypto'
import { InvalidApk } from './facts.js'
import { itemsOf, prefixed, type Scheme, type SigningBlock } from './signing-block.js'

interface Algorithm {
  hash: 'sha256' | 'sha512'
  /** Bytes of salt for RSA-PSS. */
  pssSalt?: number
}

const algorithms: ReadonlyMap<number, Algorithm> = new Map<number, Algorithm>([
  [0x0101, { hash: 'sha256', pssSalt: 32 }],
  [0x0102, { hash: 'sha512', pssSalt: 64 }],
  [0x0103, { hash: 'sha256' }],
  [0x0104, { hash: 'sha512' }],
  [0x0201, { hash: 'sha256' }],
  [0x0202, { hash: 'sha512' }],
  [0x0301, { hash: 'sha256' }],
  // The content is hashed by a Merkle tree, but the signatures are the same.
  [0x0421, { hash: 'sha256' }],
  [0x0423, { hash: 'sha256' }],
  [0x0425, { hash: 'sha256' }],
])

type Verify = (hash: string, data: Buffer, key: VerifyKeyObjectInput, signature: Buffer) => boolean

const again = 'Sign it again with apksigner, or upload the original file.'

/**
 * @param verifyOne Node's `verify`; tests count its calls @throws InvalidApk when a signature does
 * not match its certificate
 */
export function checkSignatures({ schemes }: SigningBlock, verifyOne: Verify = verify): void {
  try {
    const signers = schemes.flatMap((scheme) =>
      itemsOf(prefixed(scheme.bytes, 0), 'signers').map((signer) => partsOf(scheme, signer)),
    )
    for (const signer of signers) checkSigner(signer, verifyOne)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    throw new InvalidApk(`The signing block of the APK is damaged. ${again}`, { cause: error })
  }
}

interface Signer {
  signedData: Buffer
  signatures: Buffer[]
  publicKey: Buffer
}

/**
 * Splits a signer: signed data, v3's range of API levels, signatures, public key, each
 * length-prefixed. @throws RangeError, InvalidApk
 */
function partsOf({ isV3 }: Scheme, signer: Buffer): Signer {
  const signedData = prefixed(signer, 0)
  const at = 4 + signedData.length + (isV3 ? 8 : 0)
  const signatures = prefixed(signer, at)
  const publicKey = prefixed(signer, at + 4 + signatures.length)
  return { signedData, signatures: itemsOf(signatures, 'signatures'), publicKey }
}

/** @throws RangeError; InvalidApk when a signature does not match its certificate */
function checkSigner({ signedData, signatures, publicKey }: Signer, verifyOne: Verify): void {
  const key = readKey(publicKey)
  const certificate = prefixed(prefixed(signedData, 4 + prefixed(signedData, 0).length), 0)
  const owner = readOwner(certificate)
  const isOwners = key === null || owner === null || owner.equals(key)
  const isSigned = (): boolean => signatures.every((signature) => fits(signature, signedData, key, verifyOne))
  if (signatures.length === 0 || !isOwners || !isSigned())
    throw new InvalidApk(`The signature of the APK does not match its certificate. ${again}`)
}

function readKey(bytes: Buffer): KeyObject | null {
  try {
    return createPublicKey({ key: bytes, format: 'der', type: 'spki' })
  } catch (error) {
    if (error instanceof Error) return null
    throw error
  }
}

function readOwner(certificate: Buffer): KeyObject | null {
  try {
    return new X509Certificate(certificate).publicKey
  } catch (error) {
    if (error instanceof Error) return null
    throw error
  }
}

/** Also returns true for a signature that cannot be verified here. */
function fits(signature: Buffer, signedData: Buffer, key: KeyObject | null, verifyOne: Verify): boolean {
  const algorithm = signature.length < 4 ? undefined : algorithms.get(signature.readUInt32LE(0))
  if (algorithm === undefined || key === null) return true
  const { hash, pssSalt } = algorithm
  const pss = pssSalt === undefined ? {} : { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: pssSalt }
  const bytes = prefixed(signature, 4)
  try {
    return verifyOne(hash, signedData, { key, ...pss }, bytes)
  } catch (error) {
    // The key and the algorithm have different types, such as Ed25519 and RSA.
    if (error instanceof Error) return false
    throw error
  }
}
