/**
 * Decides which host a certificate proves. A host's certificate is for servers, so OpenSSL would refuse it as that of a TLS
 * client; a certificate that could also be used as a client's would let a host call other hosts. Pure.
 */
import { X509Certificate } from 'node:crypto'
import { hostDnsName, hostUri } from '../../base/pki/authority.js'

const serverAuth = '1.3.6.1.5.5.7.3.1'
const dnsName = /^DNS:(hst_[a-z2-7]{12})\./

/**
 * @param certificate of a connection whose other end proved that it has the key
 * @param authorities PEM @returns the host's ID; null: it is not a valid certificate of a host
 */
export function hostOfCertificate(
  certificate: X509Certificate,
  authorities: readonly string[],
  now: Date,
): string | null {
  const names = certificate.subjectAltName ?? ''
  const hostId = dnsName.exec(names)?.[1]
  if (hostId === undefined || names !== `DNS:${hostDnsName(hostId)}, URI:${hostUri(hostId)}`) return null
  if (certificate.ca || !(certificate.keyUsage as string[] | undefined)?.includes(serverAuth)) return null
  if (now < new Date(certificate.validFrom) || now > new Date(certificate.validTo)) return null
  const isIssued = authorities.some((pem) => {
    const authority = new X509Certificate(pem)
    return certificate.checkIssued(authority) && certificate.verify(authority.publicKey)
  })
  return isIssued ? hostId : null
}
