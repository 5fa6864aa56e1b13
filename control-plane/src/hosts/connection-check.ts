/**
 * Tells a host whether this replica can connect to its agent, for `phonerack-agent doctor`. The host says where it
 * is called, so the answer to a failed check omits the cause and always takes as long: otherwise a
 * hostile host could scan our network with it. docs/decisions/0261
 */
import { X509Certificate } from 'node:crypto'
import { ApiError, signerOf, type HostSignature } from '@phonerack/shared'
import { type Core } from '../core/core.js'
import { type Host } from '../gen/prisma/client.js'
import { addressOf } from '../host-calls/address-of.js'
import { type HostClients } from '../host-calls/clients.js'
import { type Authorities } from '../pki/authorities.js'
import { hostDnsName } from '../pki/authority.js'

export interface ConnectionCheck {
  /** `host:port` as the control plane knows it; null: no heartbeat has arrived yet. */
  address: string | null
  /** A connection with mutual TLS is open. */
  isConnected: boolean
}

/** The URL path, which the host signs. */
export const connectionCheckPath = '/host/v1/connection-check'

const connectMs = 3000
/** Concurrent checks of this replica. */
const most = 20

/** @throws ApiError unauthorized; rate_limited with too many checks at the same time */
export function createConnectionChecks(
  core: Core,
  hosts: HostClients,
  authority: Pick<Authorities, 'trusted'>,
): (request: HostSignature) => Promise<ConnectionCheck> {
  const running = new Set<string>()
  return async (request) => {
    const now = core.clock.now()
    const signer = signerOf(request, connectionCheckPath, now)
    if (signer === null) throw refusal()
    const id = request.host_id
    const host = await core.db.host.findUnique({ where: { id } })
    if (!host || host.retiredAt || !isCertificateOf(host, signer, authority.trusted)) throw refusal()
    const address = addressOf(host)
    if (address === null) return { address: null, isConnected: false }
    if (running.size >= most || running.has(id)) throw tooMany()
    running.add(id)
    try {
      return { address: address.address, isConnected: await hosts.to(id, address).ready(connectMs) }
    } finally {
      running.delete(id)
    }
  }
}

/** Whether a certificate is the current or next one of a host. */
function isCertificateOf(
  { id, certificateFingerprint: current, nextCertificateFingerprint: next }: Host,
  certificate: X509Certificate,
  authorities: readonly string[],
): boolean {
  // No fingerprint: the host joined once, so only one certificate exists.
  if (current !== null && ![current, next].includes(certificate.fingerprint256)) return false
  const isIssuedBy = (pem: string): boolean => {
    const issuer = new X509Certificate(pem)
    return certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey)
  }
  return certificate.checkHost(hostDnsName(id)) !== undefined && authorities.some(isIssuedBy)
}

const refusal = (): ApiError =>
  new ApiError('unauthorized', {
    message: 'The request is not signed with the current certificate of a host.',
    next: 'Compare the clock of this machine with the control plane, then restart the agent; if it is refused too, join again with a token of `ctl host rejoin`.',
  })

const tooMany = (): ApiError =>
  new ApiError('rate_limited', {
    message: 'Connection checks are already running.',
    next: 'Repeat the check after some seconds.',
    retryAfterSeconds: 5,
  })
