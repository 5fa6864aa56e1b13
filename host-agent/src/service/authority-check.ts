/**
 * Verifies the control plane's answer to a join before anything is stored: the authority has the
 * fingerprint in the join token, and signed a certificate for this host's key. Used by `join.ts`.
 */
import { createPublicKey, X509Certificate } from 'node:crypto'
import { authorityFingerprint } from '@phonerack/shared'

interface Answered {
  hostId: string
  certificatePem: string
  caPem: string
}

/**
 * @param expected fingerprint from the join token; null for any authority
 * @returns the reason to refuse the answer; null when it is correct
 */
export function refuteAnswer(answer: Answered, publicKeyPem: string, expected: string | null): string | null {
  const authority = readOne(answer.caPem)
  if (authority === null) return 'its certificate authority is not one certificate'
  const found = authorityFingerprint(answer.caPem)
  if (expected !== null && found !== expected)
    return `its certificate authority has the fingerprint ${found}, and the join token names ${expected}: another program answers at this address, the token belongs to another installation, or the authority was replaced after the token was created`
  const certificate = readOne(answer.certificatePem)
  if (certificate === null) return 'it contains no certificate for this host'
  if (!certificate.verify(authority.publicKey))
    return 'its certificate authority did not sign the certificate'
  if (!certificate.publicKey.equals(createPublicKey(publicKeyPem)))
    return 'its certificate is for the key of another host'
  if (!certificate.subjectAltName?.includes(`DNS:${answer.hostId}.host.phonerack.internal`))
    return 'its certificate is for another host'
  return null
}

function readOne(pem: string): X509Certificate | null {
  if (pem.split('-----BEGIN CERTIFICATE-----').length !== 2) return null
  try {
    return new X509Certificate(pem)
  } catch (error) {
    if (error instanceof Error) return null
    throw error
  }
}
