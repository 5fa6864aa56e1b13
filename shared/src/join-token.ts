/**
 * Join tokens as an operator passes them to a machine: `prj_<43 characters>.<fingerprint>`. The control plane
 * stores a hash of the secret. With the fingerprint, the machine verifies the certificate authority in the
 * answer. docs/decisions/0208
 */
import { createHash, X509Certificate } from 'node:crypto'
import { isSecret } from './secrets.js'

interface JoinToken {
  secret: string
  /** Fingerprint of the authority; null in tokens of earlier releases. */
  authority: string | null
}

export const fingerprintPattern = /^[A-Za-z0-9_-]{43}$/

/** The certificates of a PEM text, one text each. */
export const certificatesIn = (pem: string): string[] =>
  (pem.match(/-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----/g) ?? []).map(
    (block) => `${block}\n`,
  )

/** SHA-256 of the certificate (DER), base64url. @throws Error when the text contains no certificate */
export const authorityFingerprint = (certificatePem: string): string =>
  createHash('sha256').update(new X509Certificate(certificatePem).raw).digest('base64url')

export const joinTokenText = ({ secret, authority }: JoinToken): string =>
  authority === null ? secret : `${secret}.${authority}`

/** Null when the text is not a join token. */
export function parseJoinToken(text: string): JoinToken | null {
  const [secret = '', authority, ...more] = text.split('.')
  if (!isSecret('hostJoin', secret) || more.length > 0) return null
  if (authority === undefined) return { secret, authority: null }
  return fingerprintPattern.test(authority) ? { secret, authority } : null
}
