/** A passkey's authenticator in software, for tests: an ES256 key and attestation `none` (WebAuthn, sections 6.1 and 6.5.4). */
import { createHash, generateKeyPairSync, randomBytes } from 'node:crypto'

export interface Answering {
  origin: string
  /** Whether the device checked the person by PIN, fingerprint or face. */
  isVerified?: boolean
}

const sha256 = (data: string): Buffer => createHash('sha256').update(data).digest()
const cborBytes = (data: Buffer): Buffer => {
  const head = data.length < 256 ? Buffer.from([0x58, data.length]) : Buffer.from([0x59, 0, 0])
  if (data.length >= 256) head.writeUInt16BE(data.length, 1)
  return Buffer.concat([head, data])
}
const cborText = (text: string): Buffer =>
  Buffer.concat([Buffer.from([0x60 + text.length]), Buffer.from(text)])

/** The answer of `navigator.credentials.create` to the options, as JSON. */
export function createCredential(
  options: { challenge: string; rp: { id?: string } },
  { origin, isVerified = true }: Answering,
) {
  const { x = '', y = '' } = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({
    format: 'jwk',
  })
  const id = randomBytes(32)
  // Map of five: kty 2, alg -7, crv 1, x, y.
  const key = Buffer.concat([
    Buffer.from([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21]),
    cborBytes(Buffer.from(x, 'base64url')),
    Buffer.from([0x22]),
    cborBytes(Buffer.from(y, 'base64url')),
  ])
  const length = Buffer.from([0, id.length])
  // User present, attested data, and user verified.
  const flags = Buffer.from([0x41 | (isVerified ? 0x04 : 0)])
  const data = Buffer.concat([
    sha256(options.rp.id ?? ''),
    flags,
    Buffer.alloc(4),
    Buffer.alloc(16),
    length,
    id,
    key,
  ])
  const attestation = Buffer.concat([
    ...[Buffer.from([0xa3]), cborText('fmt'), cborText('none'), cborText('attStmt'), Buffer.from([0xa0])],
    ...[cborText('authData'), cborBytes(data)],
  ])
  const client = JSON.stringify({ type: 'webauthn.create', challenge: options.challenge, origin })
  return {
    id: id.toString('base64url'),
    rawId: id.toString('base64url'),
    type: 'public-key',
    response: {
      clientDataJSON: Buffer.from(client).toString('base64url'),
      attestationObject: attestation.toString('base64url'),
      transports: ['internal'],
    },
    clientExtensionResults: {},
    authenticatorAttachment: 'platform',
  }
}
