/** POST /v1/phones */
import { limits } from '@phonerack/shared'
import { z } from 'zod'
import type { FastifyRequest } from 'fastify'
import { callerOf, mayUse } from '../../http/auth.js'
import { canonicalHash } from '../../http/canonical.js'
import { validationFailed } from '../../../base/validation/validation-error.js'
import type { Route, RouteDeps } from '../deps.js'
import { describeErrors, phoneFailures } from '../errors.js'
import {
  idleTimeoutField,
  maxDurationField,
  metadataField,
  nameField,
  onIdleField,
  postHeaders,
  waitField,
} from '../fields.js'
import { waitAfterWrite } from '../lifecycle.js'
import { phoneSchema } from '../schemas.js'
import { phoneJson } from '../views.js'
import { settledForReady } from '../waiting.js'

export const createPhoneBody = z
  .strictObject({
    name: nameField.optional(),
    country: z
      .string()
      .optional()
      .meta({ description: 'One of the codes in `countries` of `GET /v1/account`.' }),
    metadata: metadataField.default({}),
    on_idle: onIdleField.optional(),
    idle_timeout: idleTimeoutField.default(limits.idleTimeout.default),
    max_duration: maxDurationField.optional(),
    wait: waitField,
  })
  .prefault({})

/**
 * Validates the whole body, including `country`, before the scope. The service checks whether the caller may create a
 * phone, since it recognises replays.
 */
async function checkCountryFirst({ services }: RouteDeps, request: FastifyRequest): Promise<void> {
  const caller = callerOf(request)
  const { country } = request.body as z.output<typeof createPhoneBody>
  if (country === undefined || mayUse(caller, 'phones:create')) return
  const alternatives = (await services.phones.account(caller)).countries.map(({ code }) => code)
  if (alternatives.includes(country)) return
  const message = 'must be one of the countries in `GET /v1/account`'
  throw validationFailed('body', [{ path: ['country'], message, alternatives }])
}

export const createPhone: Route = (app, deps) => {
  app.post(
    '/phones',
    {
      schema: {
        operationId: 'createPhone',
        summary: 'Create a phone',
        tags: ['phones'],
        headers: postHeaders,
        body: createPhoneBody,
        response: {
          201: phoneSchema,
          202: phoneSchema,
          ...describeErrors(
            'payload_too_large',
            'insufficient_scope',
            'idempotency_conflict',
            'project_frozen',
            'service_paused',
            'running_limit_reached',
            'phone_limit_reached',
            ...phoneFailures,
            'insufficient_credits',
            'spend_limit_reached',
          ),
        },
      },
      config: { scope: 'phones:create', scopeAfterBody: true, isIdempotent: true },
      preHandler: (request) => checkCountryFirst(deps, request),
    },
    async (request, reply) => {
      const { wait, on_idle: onIdle = 'park', ...asked } = request.body
      // Earlier releases do not know the field, so a request without it must have the same hash as before.
      const compared = onIdle === 'park' ? asked : { ...asked, on_idle: onIdle }
      const key = request.headers['idempotency-key']
      const { phone: created, replayed } = await deps.services.phones.create(
        callerOf(request),
        {
          name: asked.name ?? null,
          country: asked.country ?? null,
          metadata: asked.metadata,
          onIdle,
          idleTimeout: asked.idle_timeout,
          maxDuration: asked.max_duration ?? null,
        },
        key === undefined ? null : { key, bodyHash: canonicalHash(compared) },
      )
      // A replay may return a phone that failed earlier. Only a failure during this request is an error.
      const ended = replayed && settledForReady(created)
      const phone =
        wait && !ended ? await waitAfterWrite(deps, request, reply, created, settledForReady) : created
      return reply
        .header('location', `/v1/phones/${phone.id}`)
        .code(phone.status === 'ready' ? 201 : 202)
        .send(phoneJson(phone))
    },
  )
}
