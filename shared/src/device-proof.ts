/**
 * The identity of a phone: an Ed25519 key in a file on the phone. The host agent writes it and signs with it
 * (`host-agent/src/devices/supervision/phone-identity.ts`); the control plane stores the public key and verifies. docs/decisions/0223
 */
import { createPrivateKey, createPublicKey, randomBytes, sign, verify, type KeyObject } from 'node:crypto'

/** A public key: 32 bytes as base64url. */
export const identityPattern = /^[\w-]{43}$/
/** A private key: 32 bytes in lower-case hex. */
export const seedPattern = /^[\da-f]{64}$/

/** The statement that a host signs with a phone's key: "this phone is connected to me". */
interface DeviceClaim {
  /** A random text from the control plane, for one call. */
  nonce: string
  /** The host that signs. Another host cannot use the signature. */
  hostId: string
  serial: string
  /** The public key. */
  identity: string
}

/** The bytes before an Ed25519 seed in PKCS #8 (RFC 8410, section 7). */
const pkcs8 = Buffer.from('302e020100300506032b657004220420', 'hex')

const privateKey = (seed: string): KeyObject =>
  createPrivateKey({ key: Buffer.concat([pkcs8, Buffer.from(seed, 'hex')]), format: 'der', type: 'pkcs8' })

export const newSeed = (): string => randomBytes(32).toString('hex')

export const newNonce = (): string => randomBytes(32).toString('base64url')

/** The public key of a private key. */
export const identityOf = (seed: string): string =>
  createPublicKey(privateKey(seed)).export({ format: 'jwk' }).x ?? ''

/** JSON of an array of texts: no two claims have the same bytes. */
const claimBytes = ({ nonce, hostId, serial, identity }: DeviceClaim): Buffer =>
  Buffer.from(JSON.stringify(['phonerack device claim 1', nonce, hostId, serial, identity]))

export const signClaim = (seed: string, claim: Omit<DeviceClaim, 'identity'>): Buffer =>
  sign(null, claimBytes({ ...claim, identity: identityOf(seed) }), privateKey(seed))

/** False also for a malformed key or signature. */
export function isProven(claim: DeviceClaim, signature: Uint8Array): boolean {
  if (!identityPattern.test(claim.identity) || signature.length !== 64) return false
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: claim.identity }, format: 'jwk' })
  return verify(null, claimBytes(claim), key, signature)
}
