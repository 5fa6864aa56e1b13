import { type Host } from '../../gen/prisma/client.js'
import { type HostAddress } from './clients.js'

/** Returns the address at which a host can be called; null if it is unknown. */
export function addressOf(
  host: Pick<Host, 'address' | 'certificateFingerprint' | 'nextCertificateFingerprint' | 'joinId'>,
): HostAddress | null {
  const { address, certificateFingerprint, nextCertificateFingerprint, joinId } = host
  return address === null ? null : { address, certificateFingerprint, nextCertificateFingerprint, joinId }
}
