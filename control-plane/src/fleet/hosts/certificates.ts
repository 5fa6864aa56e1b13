/**
 * Decides which certificates of a host are accepted, and when the current certificate is replaced. Pure.
 * docs/decisions/0213
 */
import { createPublicKey, X509Certificate } from 'node:crypto'
import { hostLifeMs } from '../../base/pki/authority.js'

interface HostCertificates {
  joinedAt: Date
  /** The fingerprint of the current certificate; null: any certificate with the host's ID is accepted. */
  certificateFingerprint: string | null
  /** Null: a release that did not store the expiry issued the certificate. */
  certificateExpiresAt: Date | null
  /** Issued, but not yet seen in use. */
  nextCertificatePem: string | null
}

export const expiryOf = ({
  certificateExpiresAt,
  joinedAt,
}: Pick<HostCertificates, 'certificateExpiresAt' | 'joinedAt'>): Date =>
  certificateExpiresAt ?? new Date(joinedAt.getTime() + hostLifeMs)

/** A certificate is replaced when a third of its life is left. */
export const renewalMs = hostLifeMs / 3

/** The agent's answer to the begin of a renewal. */
export interface Waiting {
  certificateFingerprint: string
  /** The public key that waits for a certificate. */
  publicKeyPem: string
}

/**
 * `adopt`: the host already uses the next certificate. `send`: the next certificate is for the waiting key.
 * `issue`: the host cannot use the next certificate, because the host does not have the certificate's key.
 */
export type Step = 'adopt' | 'send' | 'issue'

export function stepOf(nextPem: string | null, host: Waiting): Step {
  if (nextPem === null) return 'issue'
  const certificate = new X509Certificate(nextPem)
  if (certificate.fingerprint256 === host.certificateFingerprint) return 'adopt'
  return certificate.publicKey.equals(createPublicKey(host.publicKeyPem)) ? 'send' : 'issue'
}

/** True for an agent that has begun to use the next certificate. */
export const usesNext = (
  { nextCertificatePem: pem }: Pick<HostCertificates, 'nextCertificatePem'>,
  fingerprint: string | undefined,
): boolean => pem !== null && new X509Certificate(pem).fingerprint256 === fingerprint

/**
 * Columns of a host whose next certificate is issued. Until the host uses it, the current certificate is
 * accepted too.
 */
export const issued = (pem: string) => ({
  nextCertificatePem: pem,
  nextCertificateFingerprint: new X509Certificate(pem).fingerprint256,
})

/** Columns of a host that uses this certificate. No other certificate of the host is accepted. */
export function adopted(pem: string) {
  const { fingerprint256, validTo } = new X509Certificate(pem)
  return {
    certificateFingerprint: fingerprint256,
    certificateExpiresAt: new Date(validTo),
    nextCertificateFingerprint: null,
    nextCertificatePem: null,
  }
}
