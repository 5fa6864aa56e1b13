/** POST /v1/setup and POST /v1/setup/token: a terminal's first key. No other request of `/v1` works without a key. */
import { isSecret, limits, secretPrefixes } from '@phonerack/shared'
import { z } from 'zod'
import { createRateLimit } from '../http/rate-limit.js'
import { addressOf, siteOf } from '../../base/failure-limit/network.js'
import type { Route } from './deps.js'
import { describeOpenErrors } from './errors.js'
import { postHeaders } from './fields.js'

const { client, life, interval, requestsPerAddressPerMinute, requestsPerSitePerMinute, pollsPerMinute } =
  limits.setup

const printableAscii = new RegExp(`^[\\x20-\\x7e]{${client.min},${client.max}}$`)

const createSetupBody = z
  .strictObject({
    client: z
      .string()
      .regex(printableAscii, {
        message: `must consist of ${client.min} to ${client.max} printable ASCII characters`,
      })
      .optional()
      .meta({
        description:
          'The name of the client. The page of the setup shows it to the person, and the name of the key contains it.',
      }),
  })
  .prefault({})

export const collectSetupBody = z.strictObject({
  setup_token: z
    .string()
    .refine((token) => isSecret('setup', token), {
      message: `must be a setup token: \`${secretPrefixes.setup}\` followed by 43 characters`,
    })
    .meta({ description: 'The `setup_token` that `POST /v1/setup` returned.' }),
})

export const createSetup: Route = (app, { services, failureLimit, baseUrl, clock }) => {
  const perAddress = createRateLimit(requestsPerAddressPerMinute, clock, 'address')
  const perSite = createRateLimit(requestsPerSitePerMinute, clock, 'network')
  app.post(
    '/setup',
    {
      schema: {
        operationId: 'createSetup',
        summary: 'Request a key',
        description:
          'A person confirms the request in a browser. Then `POST /v1/setup/token` returns the key once.',
        tags: ['setup'],
        security: [],
        headers: postHeaders,
        body: createSetupBody,
        response: {
          201: z.object({
            setup_token: z.string().meta({ description: 'The secret that collects the key.' }),
            user_code: z
              .string()
              .meta({
                description:
                  'The code that the person compares with the page. The code does not grant access.',
              }),
            verification_url: z.string().meta({ description: 'The page where the person confirms.' }),
            expires_in: z
              .int()
              .meta({ description: 'Seconds in which the setup must be confirmed and the key collected.' }),
            interval: z.int().meta({ description: 'Seconds between polls.' }),
          }),
          ...describeOpenErrors('payload_too_large', 'rate_limited'),
        },
      },
      config: { isOpen: true },
      onRequest: (request, _reply, done) => {
        const network = failureLimit.networkOf(request.raw)
        perAddress.count(network)
        perSite.count(siteOf(network))
        done()
      },
    },
    async (request, reply) => {
      const { client: name = null } = request.body
      const { token, userCode } = await services.setup.create({ client: name, address: addressOf(request) })
      return reply
        .code(201)
        .send({
          setup_token: token,
          user_code: userCode,
          verification_url: `${baseUrl}/setup`,
          expires_in: life,
          interval,
        })
    },
  )
}

export const collectSetup: Route = (app, { services, failureLimit, clock }) => {
  const perToken = createRateLimit(pollsPerMinute, clock, 'setup')
  app.post(
    '/setup/token',
    {
      schema: {
        operationId: 'collectSetup',
        summary: 'Collect the key',
        tags: ['setup'],
        security: [],
        headers: postHeaders,
        body: collectSetupBody,
        response: {
          200: z.object({
            status: z.string().meta({ 'x-extensible-enum': ['pending', 'approved'] }),
            api_key: z
              .string()
              .optional()
              .meta({ description: 'The API key, which is returned exactly once.' }),
            project: z.string().optional().meta({ description: "The project's name." }),
          }),
          ...describeOpenErrors(
            'payload_too_large',
            'rate_limited',
            'not_found',
            'setup_denied',
            'setup_expired',
            'setup_used',
            'key_limit',
          ),
        },
      },
      config: { isOpen: true },
    },
    async (request) => {
      const { setup_token: token } = request.body
      perToken.count(token)
      const outcome = await failureLimit.guard(request.raw, {
        isKnown: () => services.setup.isKnown(token),
        failures: ['not_found'],
        work: () => services.setup.collect(token, { address: addressOf(request), requestId: request.id }),
      })
      return outcome.status === 'pending'
        ? { status: outcome.status }
        : { status: outcome.status, api_key: outcome.apiKey, project: outcome.project }
    },
  )
}
