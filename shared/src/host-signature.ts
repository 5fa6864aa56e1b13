/**
 * A request of a host to the control plane's HTTP server, signed with the key of the host's certificate. The host agent
 * signs; the control plane verifies, and compares the certificate with the one it knows.
 */
import { createPrivateKey, sign, verify, X509Certificate } from 'node:crypto'
import { z } from 'zod'

/** Milliseconds by which the clocks of the two may differ. */
export const signatureSkewMs = 600_000

export const hostSignatureSchema = z.strictObject({
  host_id: z.string().max(100),
  /** The certificate of the host, PEM. */
  certificate_pem: z.string().max(8000),
  /** RFC 3339, in UTC. */
  signed_at: z.iso.datetime(),
  /** ECDSA with SHA-256 (DER), base64url. */
  signature: z.string().regex(/^[\w-]{1,200}$/),
})
export type HostSignature = z.infer<typeof hostSignatureSchema>

/** JSON of an array of texts: no two requests have the same bytes. @param purpose the URL path of the request */
const bytesOf = (purpose: string, hostId: string, signedAt: string): Buffer =>
  Buffer.from(JSON.stringify(['phonerack host request 1', purpose, hostId, signedAt]))

export function signAsHost(
  identity: { hostId: string; certificatePem: string; privateKeyPem: string },
  purpose: string,
  now: Date,
): HostSignature {
  const { hostId, certificatePem, privateKeyPem } = identity
  const signedAt = now.toISOString()
  const signature = sign('sha256', bytesOf(purpose, hostId, signedAt), createPrivateKey(privateKeyPem))
  return {
    host_id: hostId,
    certificate_pem: certificatePem,
    signed_at: signedAt,
    signature: signature.toString('base64url'),
  }
}

/**
 * Returns the certificate of the signed request; null: the request or the certificate is not valid at `now`. Nothing is
 * computed with a key before one of `authorities` (PEM) is known to have issued it: the sender chooses the key.
 */
export function signerOf(
  request: HostSignature,
  { purpose, authorities, now }: { purpose: string; authorities: readonly string[]; now: Date },
): X509Certificate | null {
  const { host_id: hostId, certificate_pem: pem, signed_at: signedAt, signature } = request
  if (Math.abs(now.getTime() - Date.parse(signedAt)) > signatureSkewMs) return null
  const certificate = readCertificate(pem)
  if (certificate === null || !authorities.some((authority) => isIssuedBy(certificate, authority)))
    return null
  if (now < new Date(certificate.validFrom) || now > new Date(certificate.validTo)) return null
  const key = certificate.publicKey
  if (key.asymmetricKeyType !== 'ec' || key.asymmetricKeyDetails?.namedCurve !== 'prime256v1') return null
  const bytes = bytesOf(purpose, hostId, signedAt)
  return verify('sha256', bytes, key, Buffer.from(signature, 'base64url')) ? certificate : null
}

function readCertificate(pem: string): X509Certificate | null {
  try {
    return new X509Certificate(pem)
  } catch {
    return null
  }
}

function isIssuedBy(certificate: X509Certificate, authority: string): boolean {
  const issuer = new X509Certificate(authority)
  return certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey)
}
