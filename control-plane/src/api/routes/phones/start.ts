/** POST /v1/phones/{id}/start: starts a phone, or renews the session of a running phone. */
import { z } from 'zod'
import { callerOf } from '../../http/auth.js'
import { phoneIdOf, type Route } from '../deps.js'
import { describeErrors, phoneFailures } from '../errors.js'
import { maxDurationField, newIdleTimeoutField, phoneParams, postHeaders, waitField } from '../fields.js'
import { noteActivity, waitAfterWrite } from '../lifecycle.js'
import { phoneSchema } from '../schemas.js'
import { phoneJson } from '../views.js'
import { settledForReady } from '../waiting.js'

const startPhoneBody = z
  .strictObject({
    idle_timeout: newIdleTimeoutField,
    max_duration: maxDurationField.optional(),
    wait: waitField,
  })
  .prefault({})

export const startPhone: Route = (app, deps) => {
  app.post(
    '/phones/:id/start',
    {
      schema: {
        operationId: 'startPhone',
        summary: 'Start a phone, or renew its session',
        tags: ['phones'],
        params: phoneParams,
        headers: postHeaders,
        body: startPhoneBody,
        response: {
          200: phoneSchema,
          202: phoneSchema,
          ...describeErrors(
            'payload_too_large',
            'phone_not_found',
            'phone_not_allowed',
            'phone_parking',
            'phone_deleted',
            'phone_failed',
            'project_frozen',
            'service_paused',
            'running_limit_reached',
            'insufficient_credits',
            'spend_limit_reached',
            ...phoneFailures,
          ),
        },
      },
      config: { scope: 'phones:control' },
    },
    async (request, reply) => {
      const id = phoneIdOf(request.params)
      const { idle_timeout: idleTimeout = null, max_duration: maxDuration = null, wait } = request.body
      const started = await deps.services.phones.start(callerOf(request), id, { idleTimeout, maxDuration })
      await noteActivity(deps, request, id)
      const phone = wait ? await waitAfterWrite(deps, request, reply, started, settledForReady) : started
      return reply.code(phone.status === 'ready' ? 200 : 202).send(phoneJson(phone))
    },
  )
}
