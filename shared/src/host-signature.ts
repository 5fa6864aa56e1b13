/**
 * A request of a host to the control plane's HTTP server, signed with the key of the host's certificate. The
 * host agent signs the request. The control plane verifies it, and compares the certificate with the
 * certificate that it knows.
 */
import { createPrivateKey, sign, verify, X509Certificate } from 'node:crypto'
import { z } from 'zod'

/** The URL path of the check that `phonerack-agent doctor` asks for, which the host signs. */
export const connectionCheckPath = '/host/v1/connection-check'

/** The largest difference of the clocks of host and control plane, in milliseconds. */
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

/**
 * JSON of an array of texts, so that no two requests have the same bytes.
 * @param purpose the URL path of the request
 */
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
 * The certificate of a request; null: the certificate is not valid, or the clocks differ too much. The sender
 * chooses the certificate, so check its owner before `isSignedWith` uses its key.
 */
export function certificateOf(
  { certificate_pem: pem, signed_at: signedAt }: HostSignature,
  now: Date,
): X509Certificate | null {
  if (Math.abs(now.getTime() - Date.parse(signedAt)) > signatureSkewMs) return null
  try {
    return new X509Certificate(pem)
  } catch {
    return null
  }
}

/** Whether the P-256 key of a certificate signed the request. */
export function isSignedWith(
  { publicKey: key }: X509Certificate,
  { host_id: hostId, signed_at: signedAt, signature }: HostSignature,
  purpose: string,
): boolean {
  if (key.asymmetricKeyType !== 'ec' || key.asymmetricKeyDetails?.namedCurve !== 'prime256v1') return false
  return verify('sha256', bytesOf(purpose, hostId, signedAt), key, Buffer.from(signature, 'base64url'))
}
