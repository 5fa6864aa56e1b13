/** Admits a host: spends its join token, and issues its certificate and NATS user. */
import { ApiError, hashSecret, isSecret, newId } from '@phonerack/shared'
import { type Core } from '../core/core.js'
import { createSecretLookup, type SecretLookup } from '../db/secret-lookup.js'
import { controlPlaneUri, type Authority } from '../pki/authority.js'
import { type NatsUsers } from '../pki/nats-users.js'
import { addAudit } from './audit.js'
import { onBehalf, type Origin } from './work.js'

export interface JoinParts {
  core: Core
  authority: Authority
  /** Null when the broker requires no credentials. */
  natsUsers: NatsUsers | null
}

/** A host's request to join. */
export interface Joining {
  token: string
  name: string
  /** ISO 3166 alpha-2. */
  country: string
  /** EC P-256, SPKI. */
  publicKeyPem: string
  natsPublicKey: string
}

export interface HostIdentity {
  hostId: string
  certificatePem: string
  caPem: string
  /** Empty when the broker requires no credentials. */
  natsJwt: string
  /** The URI in the control plane's certificate. The host accepts calls only from it. */
  controlPlaneUri: string
}

/** Looks up join tokens for addresses that have failed too often: many callers share a query. */
export const createJoinTokenLookup = (core: Core): SecretLookup =>
  createSecretLookup(async (hashes) => {
    const rows = await core.db.joinToken.findMany({
      where: { secretHash: { in: hashes }, usedAt: null, expiresAt: { gt: core.clock.now() } },
      select: { secretHash: true },
    })
    return rows.map(({ secretHash }) => secretHash)
  })

/** @throws ApiError unauthorized */
export async function checkJoinToken(core: Core, token: string): Promise<void> {
  const row = isSecret('hostJoin', token)
    ? await core.db.joinToken.findUnique({ where: { secretHash: hashSecret(token) } })
    : null
  if (!row || row.usedAt || row.expiresAt <= core.clock.now()) throw refusal()
}

/**
 * Spends the token and stores the host, with an audit entry in the name of the operator who created
 * the token. @throws ApiError unauthorized; validation_failed for a public key of the wrong kind,
 * which leaves the token usable
 */
export async function admitHost(
  { core, authority, natsUsers }: JoinParts,
  host: Joining,
  from: Origin,
): Promise<HostIdentity> {
  const hostId = newId('host')
  // Issue before spending the token: a key of the wrong kind leaves the token usable.
  const certificatePem = await issue(authority, hostId, host.publicKeyPem)
  const natsJwt = natsUsers ? await natsUsers.issue(hostId, host.natsPublicKey) : ''
  await store(core, hostId, host, from)
  return { hostId, certificatePem, caPem: authority.caPem, natsJwt, controlPlaneUri }
}

async function issue(authority: Authority, hostId: string, publicKeyPem: string): Promise<string> {
  try {
    return await authority.issueHost(hostId, publicKeyPem)
  } catch (error) {
    throw new ApiError('validation_failed', {
      details: {
        validation_stage: 'body',
        issues: [{ path: ['public_key_pem'], message: 'must be an EC P-256 public key (SPKI, PEM)' }],
      },
      cause: error,
    })
  }
}

const refusal = () =>
  new ApiError('unauthorized', {
    message: 'The join token is unknown, already used, or expired.',
    next: 'Create a new join token.',
  })

async function store(core: Core, hostId: string, host: Joining, from: Origin): Promise<void> {
  const { name, country, natsPublicKey } = host
  const secretHash = hashSecret(host.token)
  await onBehalf(core, from, async (work, giver) => {
    const { tx, now } = work
    const spent = await tx.joinToken.updateMany({
      where: { secretHash, usedAt: null, expiresAt: { gt: now } },
      data: { usedAt: now, hostId },
    })
    if (spent.count !== 1) throw refusal()
    await tx.host.create({ data: { id: hostId, name, country, natsPublicKey, joinedAt: now } })
    const { createdBy } = await tx.joinToken.findUniqueOrThrow({ where: { secretHash } })
    const after = { name, country }
    await addAudit(work, 'host.join', { target: hostId, before: null, after }, await giver(createdBy))
  })
}
