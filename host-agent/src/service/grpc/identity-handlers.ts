/** HostService: renewal of the host's certificate, and changes of the host's trusted authorities. */
import type { HostServiceServer } from '@phonerack/proto'
import type { Logger } from '@phonerack/shared'
import { unary } from './call.js'

/**
 * Every call is safe to repeat.
 * @throws ApiError validation_failed for an unusable certificate
 */
export interface Renewal {
  /** Creates the key of the next certificate, or returns the key that waits for a certificate. */
  begin(): { certificateFingerprint: string; publicKeyPem: string }
  /** Replaces the certificate: on disk, then for new connections. */
  finish(certificatePem: string): void
  /** Replaces the trusted authorities: on disk, then for new connections. */
  trust(authorityPems: readonly string[]): void
}

export const createIdentityHandlers = (
  renewal: Renewal,
  log: Logger,
): Pick<HostServiceServer, 'beginRenewal' | 'finishRenewal' | 'trustAuthorities'> => ({
  beginRenewal: unary(log, 'BeginRenewal', () => Promise.resolve(renewal.begin())),
  finishRenewal: unary(log, 'FinishRenewal', ({ certificatePem }) => {
    renewal.finish(certificatePem)
    return Promise.resolve({})
  }),
  trustAuthorities: unary(log, 'TrustAuthorities', ({ authorityPems }) => {
    renewal.trust(authorityPems)
    return Promise.resolve({})
  }),
})
