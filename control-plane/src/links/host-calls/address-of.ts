import { type Host } from '../../gen/prisma/client.js'
import { type HostAddress } from './clients.js'

/** Where a host is called; null: unknown. */
export function addressOf(
  host: Pick<Host, 'address' | 'certificateFingerprint' | 'nextCertificateFingerprint' | 'joinId'>,
): HostAddress | null {
  const { address, certificateFingerprint, nextCertificateFingerprint, joinId } = host
  return address === null ? null : { address, certificateFingerprint, nextCertificateFingerprint, joinId }
}
