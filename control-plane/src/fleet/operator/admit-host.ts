/**
 * Admits a host: spends its join token, and issues its certificate and NATS user. With a token of a
 * rejoin, the machine becomes the host that the token names. docs/decisions/0199
 */
import { X509Certificate } from 'node:crypto'
import {
  ApiError,
  authorityFingerprint,
  hashSecret,
  isSecret,
  newId,
  subjects,
  type AgentOnBus,
} from '@phonerack/shared'
import { type Core } from '../../base/core/core.js'
import { createSecretLookup, type SecretLookup } from '../../base/db/secret-lookup.js'
import { type Host } from '../../gen/prisma/client.js'
import { adopted } from '../hosts/certificates.js'
import { type Authorities } from '../../base/pki/authorities.js'
import { controlPlaneUri } from '../../base/pki/authority.js'
import { type NatsUsers } from '../../base/pki/nats-users.js'
import { addAudit } from '../../base/audit/audit.js'
import { onlyCountry, takeName } from './host-names.js'
import { isValidGiver } from './givers.js'
import { natsUserCheck, type NatsUserCheck } from './new-nats-user.js'
import { actingFor, inAuditedTransaction, type Origin, type Work } from '../../base/audit/work.js'

export interface JoinParts {
  core: Core
  authority: Authorities
  /** Null when the broker requires no credentials. */
  natsUsers: NatsUsers | null
  /** Public key of the control plane's NATS user; null: the control plane has no NATS user. */
  ownNatsUser: string | null
}

/** A host's request to join. */
interface Joining {
  token: string
  name: string
  /** ISO 3166 alpha-2; null: the country of all other hosts. */
  country: string | null
  /** EC P-256, SPKI. */
  publicKeyPem: string
  natsPublicKey: string
  /** Whether the host's agent can use the subjects of a rejoin. */
  canRejoin: boolean
}

interface HostIdentity {
  hostId: string
  /** The stored name and country: a host that rejoins keeps them. */
  name: string
  country: string
  /** Part of the subjects of a rejoined host's agent; null: the machine joined as a new host. */
  joinId: string | null
  certificatePem: string
  caPem: string
  /** Empty when the broker requires no credentials. */
  natsJwt: string
  /** The URI in the control plane's certificate. The host accepts calls only from this URI. */
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
  const now = core.clock.now()
  if (!row || row.usedAt || row.expiresAt <= now) throw refusal()
  if (!(await isValidGiver(core.db, row.createdBy, now))) throw refusal()
}

/**
 * Spends the token and stores the host, with an audit entry in the name of the operator who created
 * the token. @throws ApiError unauthorized; validation_failed for a public key of the wrong kind or a
 * NATS user that is already used, for the name of another host, and for a missing country, all of which leave the token usable
 */
export async function admitHost(
  { core, authority: authorities, natsUsers, ownNatsUser }: JoinParts,
  host: Joining,
  from: Origin,
): Promise<HostIdentity> {
  const secretHash = hashSecret(host.token)
  const token = await core.db.joinToken.findUnique({ where: { secretHash } })
  const rejoins = token?.rejoinsHostId ?? null
  if (rejoins !== null && !host.canRejoin) throw tooOld()
  // A switch of the authority may be newer than the last read.
  await authorities.refresh()
  const { signing: authority } = authorities
  if ((token?.authority ?? authority.fingerprint) !== authority.fingerprint) throw otherAuthority()
  const hostId = rejoins ?? newId('host')
  const joinId = rejoins === null ? null : newId('join')
  // Issue the certificate before spending the token, so that a key of the wrong kind leaves the token usable.
  const certificatePem = await issue(authority, hostId, host.publicKeyPem)
  const natsJwt = natsUsers ? await natsUsers.issue({ hostId, joinId }, host.natsPublicKey) : ''
  const { caPem } = authority
  const admitted = { ...host, certificatePem, caPem, requireNewUser: natsUserCheck(ownNatsUser) }
  const { name, country } =
    joinId === null
      ? await store(core, hostId, admitted, from)
      : await replace(core, { hostId, joinId }, admitted, from)
  // Send one authority only, which the machine verifies with its token. The host gets the second authority by
  // a call (`hosts/authorities.ts`).
  return { hostId, name, country, joinId, certificatePem, caPem, natsJwt, controlPlaneUri }
}

interface Admitted extends Joining {
  certificatePem: string
  caPem: string
  requireNewUser: NatsUserCheck
}

async function issue(
  authority: Pick<Authorities, 'issueHost'>,
  hostId: string,
  publicKeyPem: string,
): Promise<string> {
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
    message:
      'The join token is unknown, already used, or expired, or the operator token that created it has ended.',
    next: 'Create a new join token.',
  })

/** Refuse before the token is spent. */
const tooOld = () =>
  new ApiError('invalid_request', {
    message: 'This version of the host agent cannot join again as a known host.',
    next: 'Upgrade the host agent, then start it with the same join token.',
  })

const otherAuthority = () =>
  new ApiError('unauthorized', {
    message: 'The certificate authority has been replaced since this join token was created.',
    next: 'Create a new join token.',
  })

/** Returns the ID of the operator token that created it. @throws ApiError unauthorized */
async function spend(
  { tx, now }: Work<Origin>,
  { token, caPem }: Admitted,
  hostId: string,
): Promise<string | null> {
  // Holds the authority until the host is stored.
  const [row] = await tx.$queryRaw<{ ca: string }[]>`select ca_certificate as ca from installation
    where id = 1 for share`
  if (row && authorityFingerprint(row.ca) !== authorityFingerprint(caPem)) throw otherAuthority()
  const secretHash = hashSecret(token)
  const spent = await tx.joinToken.updateMany({
    where: { secretHash, usedAt: null, expiresAt: { gt: now } },
    data: { usedAt: now, hostId },
  })
  if (spent.count !== 1) throw refusal()
  const { createdBy } = await tx.joinToken.findUniqueOrThrow({ where: { secretHash } })
  if (!(await isValidGiver(tx, createdBy, now))) throw refusal()
  return createdBy
}

/** The name and the country of a host. */
type Named = Pick<Host, 'name' | 'country'>

async function store(core: Core, hostId: string, host: Admitted, from: Origin): Promise<Named> {
  const { name, natsPublicKey } = host
  const certificateExpiresAt = new Date(new X509Certificate(host.certificatePem).validTo)
  return inAuditedTransaction(core, from, async (work) => {
    const { tx, now } = work
    const createdBy = await spend(work, host, hostId)
    // A refusal rolls back the use of the token.
    await takeName(tx, hostId, name)
    const country = host.country ?? (await onlyCountry(tx))
    await host.requireNewUser(tx, natsPublicKey)
    await tx.host.create({
      data: { id: hostId, name, country, natsPublicKey, joinedAt: now, certificateExpiresAt },
    })
    const after = { name, country }
    await addAudit(await actingFor(work, createdBy), 'host.join', { target: hostId, before: null, after })
    return after
  })
}

/**
 * Gives the host's ID to the machine. Name and country stay. Reports of earlier machines do not count until
 * the new machine confirms them.
 */
async function replace(
  core: Core,
  { hostId, joinId }: AgentOnBus,
  host: Admitted,
  from: Origin,
): Promise<Named> {
  const { natsPublicKey, certificatePem, requireNewUser } = host
  const certificates = adopted(certificatePem)
  const { certificateFingerprint } = certificates
  return inAuditedTransaction(core, from, async (work) => {
    const { tx } = work
    const createdBy = await spend(work, host, hostId)
    await requireNewUser(tx, natsPublicKey)
    await tx.joinToken.updateMany({
      where: { rejoinsHostId: hostId, usedAt: null, expiresAt: { gt: work.now } },
      data: { expiresAt: work.now },
    })
    await tx.$queryRaw`select 1 from hosts where id = ${hostId} for update`
    const row = await tx.host.findUniqueOrThrow({ where: { id: hostId } })
    if (row.retiredAt) throw refusal()
    await tx.revokedNatsUser.createMany({
      data: [{ publicKey: row.natsPublicKey, hostId, revokedAt: work.now }],
      skipDuplicates: true,
    })
    work.afterCommit(() => core.bus.publish(subjects.userRevoked, {}))
    await tx.host.update({
      where: { id: hostId },
      data: {
        natsPublicKey,
        ...certificates,
        joinId,
        certificateAuthority: null,
        trustedAuthorities: [],
        address: null,
        sequence: 0n,
        announcedAt: null,
        reportFault: null,
      },
    })
    await tx.$queryRaw`select 1 from devices where host_id = ${hostId} order by id for update`
    await tx.device.updateMany({
      where: { hostId },
      data: { custodyRevision: 0n, confirmedEpoch: null, cleanFor: '' },
    })
    const facts = (fingerprint: string | null) => ({ name: row.name, certificate: fingerprint })
    const change = {
      target: hostId,
      before: facts(row.certificateFingerprint),
      after: facts(certificateFingerprint),
    }
    await addAudit(await actingFor(work, createdBy), 'host.rejoin', change)
    return { name: row.name, country: row.country }
  })
}
