/** `POST /host/v1/join`, outside `/v1`: exchanges a host's one-time token for its identity. */
import {
  ApiError,
  explainRefusal,
  hashSecret,
  isSecret,
  isSpoken,
  parseJoinToken,
  protocol,
  readProtocolVersion,
} from '@phonerack/shared'
import { type FastifyPluginAsync } from 'fastify'
import { z } from 'zod'
import { parseBody } from '../../http/parse-body.js'
import {
  admitHost,
  checkJoinToken,
  createJoinTokenLookup,
  type JoinParts,
} from '../../../fleet/operator/admit-host.js'
import { countrySchema, hostNameSchema } from '../../../fleet/operator/host-names.js'
import { addressOf } from '../../../base/failure-limit/network.js'
import { keyFailures, type FailureLimit } from '../../../base/failure-limit/failure-limit.js'

const joinSchema = z.strictObject({
  token: z.string().max(100),
  name: hostNameSchema,
  country: countrySchema.optional(),
  public_key_pem: z.string().max(2000),
  nats_public_key: z.string().regex(/^U[A-Z2-7]{55}$/, 'must be a NATS user key'),
})

export interface JoinPluginParts extends JoinParts {
  failureLimit: FailureLimit
  /** The broker's address for the host; null: an operator configures the address on the machine. */
  natsUrl: string | null
  /** Authorities of the broker's certificate; null if they are the hosts' authority or public. */
  natsCaPem: string | null
}

export const joinPlugin =
  ({ failureLimit, natsUrl, natsCaPem, ...parts }: JoinPluginParts): FastifyPluginAsync =>
  (app) => {
    const tokens = createJoinTokenLookup(parts.core)
    app.addHook('onClose', (_app, done) => {
      tokens.close()
      done()
    })
    app.post('/host/v1/join', async (request, reply) => {
      void reply.header(protocol.header, String(protocol.version))
      requireProtocol(request.headers[protocol.header])
      const input = parseBody(joinSchema, request)
      // Earlier agents send the token with the fingerprint.
      const token = parseJoinToken(input.token)?.secret ?? input.token
      await failureLimit.guard(request.raw, {
        isKnown: isSecret('hostJoin', token) ? () => tokens.has(hashSecret(token)) : null,
        failures: keyFailures,
        work: () => checkJoinToken(parts.core, token),
      })
      const { name, country = null, public_key_pem: publicKeyPem, nats_public_key: natsPublicKey } = input
      const identity = await admitHost(
        parts,
        {
          token,
          name,
          country,
          publicKeyPem,
          natsPublicKey,
          canRejoin: protocol.rejoinHeader in request.headers,
        },
        { address: addressOf(request), requestId: request.id },
      )
      return reply
        .code(201)
        .send({
          host_id: identity.hostId,
          name: identity.name,
          country: identity.country,
          certificate_pem: identity.certificatePem,
          ca_pem: identity.caPem,
          nats_jwt: identity.natsJwt,
          join_id: identity.joinId,
          nats_url: natsUrl,
          nats_ca_pem: natsCaPem,
          control_plane_uri: identity.controlPlaneUri,
        })
    })
    return Promise.resolve()
  }

/** Runs before the token check, so that a refused host can use the token after its upgrade. */
function requireProtocol(header: string | string[] | undefined): void {
  const version = readProtocolVersion(typeof header === 'string' ? header : header?.join())
  if (isSpoken(version)) return
  throw new ApiError('invalid_request', {
    message: explainRefusal('host agent', version),
    details: { protocol_version: Number.isNaN(version) ? null : version },
  })
}
