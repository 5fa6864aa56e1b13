/** A host's join: a one-time token against an identity (certificate, NATS user). `POST /host/v1/join`, outside `/v1`. */
import { type FastifyPluginAsync } from 'fastify'
import {
  ApiError,
  explainRefusal,
  hashSecret,
  isSecret,
  isSpoken,
  newId,
  protocol,
  readProtocolVersion,
} from '@phonerack/shared'
import { z } from 'zod'
import { createSecretLookup } from '../../db/secret-lookup.js'
import { addressOf } from '../../strangers/network.js'
import { keyFailures, type Strangers } from '../../strangers/strangers.js'
import { type Core } from '../../core/core.js'
import { addAudit } from '../../operator/audit.js'
import { parseBody } from '../../http/parse-body.js'
import { onBehalf, type Origin } from '../../operator/work.js'
import { type Authority, controlPlaneUri } from '../../pki/authority.js'
import { type NatsUsers } from '../../pki/nats-users.js'

const joinSchema = z.strictObject({
  token: z.string().max(100),
  name: z.string().trim().min(1).max(80),
  country: z.string().regex(/^[A-Z]{2}$/, 'must be a two-letter country code'),
  public_key_pem: z.string().max(2000),
  nats_public_key: z.string().regex(/^U[A-Z2-7]{55}$/, 'must be a NATS user key'),
})

export interface JoinParts {
  core: Core
  authority: Authority
  /** Null when the broker asks for no credentials. */
  natsUsers: NatsUsers | null
  strangers: Strangers
}

export const joinPlugin =
  ({ core, authority, natsUsers, strangers }: JoinParts): FastifyPluginAsync =>
  (app) => {
    const tokens = createSecretLookup(async (hashes) => {
      const rows = await core.db.joinToken.findMany({
        where: { secretHash: { in: hashes }, usedAt: null, expiresAt: { gt: core.clock.now() } },
        select: { secretHash: true },
      })
      return rows.map(({ secretHash }) => secretHash)
    })
    app.addHook('onClose', (_app, done) => {
      tokens.close()
      done()
    })
    app.post('/host/v1/join', async (request, reply) => {
      void reply.header(protocol.header, String(protocol.version))
      requireProtocol(request.headers[protocol.header])
      const input = parseBody(joinSchema, request)
      await strangers.guard(request.raw, {
        isKnown: isSecret('hostJoin', input.token) ? () => tokens.has(hashSecret(input.token)) : null,
        failures: keyFailures,
        work: () => checkToken(core, input.token),
      })
      const hostId = newId('host')
      // Before the token is spent: a key of the wrong kind leaves it usable.
      const certificatePem = await issue(authority, hostId, input.public_key_pem)
      const natsJwt = natsUsers ? await natsUsers.issue(hostId, input.nats_public_key) : ''
      await admit(core, hostId, input, { address: addressOf(request), requestId: request.id })
      return reply.code(201).send({
        host_id: hostId,
        certificate_pem: certificatePem,
        ca_pem: authority.caPem,
        nats_jwt: natsJwt,
        control_plane_uri: controlPlaneUri,
      })
    })
    return Promise.resolve()
  }

/** Before the token is looked at: a host that is refused can join with it after its upgrade. */
function requireProtocol(header: string | string[] | undefined): void {
  const version = readProtocolVersion(typeof header === 'string' ? header : header?.join())
  if (isSpoken(version)) return
  throw new ApiError('invalid_request', {
    message: explainRefusal('host agent', version),
    details: { protocol_version: Number.isNaN(version) ? null : version },
  })
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

async function checkToken(core: Core, token: string): Promise<void> {
  const row = isSecret('hostJoin', token)
    ? await core.db.joinToken.findUnique({ where: { secretHash: hashSecret(token) } })
    : null
  if (!row || row.usedAt || row.expiresAt <= core.clock.now()) throw refusal()
}

/** With an audit entry in the name of the operator who made the token. */
async function admit(
  core: Core,
  hostId: string,
  input: z.infer<typeof joinSchema>,
  from: Origin,
): Promise<void> {
  await onBehalf(core, from, async (work, giver) => {
    const { tx, now } = work
    const spent = await tx.joinToken.updateMany({
      where: { secretHash: hashSecret(input.token), usedAt: null, expiresAt: { gt: now } },
      data: { usedAt: now, hostId },
    })
    if (spent.count !== 1) throw refusal()
    await tx.host.create({
      data: {
        id: hostId,
        name: input.name,
        country: input.country,
        natsPublicKey: input.nats_public_key,
        joinedAt: now,
      },
    })
    const { createdBy } = await tx.joinToken.findUniqueOrThrow({
      where: { secretHash: hashSecret(input.token) },
    })
    const after = { name: input.name, country: input.country }
    await addAudit(work, 'host.join', { target: hostId, before: null, after }, await giver(createdBy))
  })
}
