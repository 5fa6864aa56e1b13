/**
 * Decides which host a certificate identifies. OpenSSL would refuse a host's certificate, which is for servers, as the
 * certificate of a TLS client. If it were also valid for clients, a host could use it to call other hosts. Pure.
 */
import { X509Certificate } from 'node:crypto'
import { hostDnsName, hostUri } from '../../base/pki/authority.js'

const serverAuth = '1.3.6.1.5.5.7.3.1'
const dnsName = /^DNS:(hst_[a-z2-7]{12})\./

/**
 * @param certificate the certificate of a connection whose other end has proved that it has the key @param authorities
 * PEM @returns the host's ID; null if it is not a valid certificate of a host
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
