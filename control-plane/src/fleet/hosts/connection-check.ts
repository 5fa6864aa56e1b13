/**
 * Tells a host whether this replica can connect to its agent, for `phonerack-agent doctor`. The host names
 * the address, so the answer to a failed check omits the cause and takes equally long for each cause:
 * otherwise a hostile host could scan our network.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { type X509Certificate } from 'node:crypto'
import {
  ApiError,
  certificateOf,
  connectionCheckPath,
  isSignedWith,
  ownNow,
  type HostSignature,
} from '@phonerack/shared'
import { createLru } from '../../base/lru.js'
import { type Core } from '../../base/core/core.js'
import { type Host } from '../../gen/prisma/client.js'
import { addressOf } from '../../links/host-calls/address-of.js'
import { type HostClients } from '../../links/host-calls/clients.js'
import { type Authorities } from '../../base/pki/authorities.js'
import { hostOfCertificate } from '../../links/tunnels/host-certificate.js'

interface ConnectionCheck {
  /** The stored `host:port`; null: no heartbeat has arrived yet. */
  address: string | null
  /** Whether a connection with mutual TLS opened. */
  isConnected: boolean
}

export interface ConnectionChecks {
  /** Whether the host signed the request. Runs no query. */
  isSigned(request: HostSignature): boolean
  /** @throws ApiError unauthorized; rate_limited when a check is too early, or too many checks run */
  check(request: HostSignature): Promise<ConnectionCheck>
}

const connectMs = 3000
/** Concurrent checks of this replica. */
const most = 20
/** Milliseconds from the start of one check of a host to the next. */
const everyMs = 1000

export function createConnectionChecks(
  core: Core,
  hosts: HostClients,
  authority: Pick<Authorities, 'trusted'>,
): ConnectionChecks {
  let running = 0
  const lastAt = createLru<number>({ max: 10_000 })

  const signerOfRequest = (request: HostSignature): X509Certificate | null => {
    const now = core.clock.now()
    const certificate = certificateOf(request, now)
    if (certificate === null) return null
    if (hostOfCertificate(certificate, authority.trusted, now) !== request.host_id) return null
    return isSignedWith(certificate, request, connectionCheckPath) ? certificate : null
  }

  async function connect(host: Host): Promise<ConnectionCheck> {
    const address = addressOf(host)
    if (address === null) return { address: null, isConnected: false }
    const started = ownNow()
    const withinMs = connectMs * core.pace
    const isConnected = await hosts.to(host.id, address).ready(withinMs)
    if (!isConnected) await sleep(Math.max(0, withinMs - (ownNow() - started)))
    return { address: address.address, isConnected }
  }

  return {
    isSigned: (request) => signerOfRequest(request) !== null,
    async check(request) {
      const signer = signerOfRequest(request)
      if (signer === null) throw refusal()
      const id = request.host_id
      const isSoon = ownNow() - (lastAt.get(id) ?? Number.NEGATIVE_INFINITY) < everyMs * core.pace
      if (isSoon || running >= most) throw tooMany()
      lastAt.set(id, ownNow())
      running += 1
      try {
        const host = await core.db.host.findUnique({ where: { id } })
        if (!host || host.retiredAt || !isCurrent(host, signer)) throw refusal()
        return await connect(host)
      } finally {
        running -= 1
      }
    },
  }
}

/** Whether a certificate is the host's current or next certificate. */
function isCurrent(
  { certificateFingerprint: current, nextCertificateFingerprint: next }: Host,
  { fingerprint256: fingerprint }: X509Certificate,
): boolean {
  // Null: the host joined and its certificate was never renewed, so only one certificate exists.
  return current === null || fingerprint === current || fingerprint === next
}

const refusal = (): ApiError =>
  new ApiError('unauthorized', {
    message: 'The request is not signed with the current certificate of a host.',
    next: 'Compare the clock of this machine with the control plane, then restart the agent; if it is refused too, join again with a token of `ctl host rejoin`.',
  })

const tooMany = (): ApiError =>
  new ApiError('rate_limited', {
    message: 'This host was checked a moment ago, or many hosts are being checked.',
    next: 'Repeat the check after some seconds.',
    retryAfterSeconds: 5,
  })
