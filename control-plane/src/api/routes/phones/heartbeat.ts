/** POST /v1/phones/{id}/heartbeat: resets the idle timer. */
import { callerOf } from '../../http/auth.js'
import { phoneIdOf, type Route } from '../deps.js'
import { describeErrors, notReady } from '../errors.js'
import { noBody, phoneParams, postHeaders } from '../fields.js'
import { phoneSchema } from '../schemas.js'
import { phoneJson } from '../views.js'

export const heartbeatPhone: Route = (app, { services }) => {
  app.post(
    '/phones/:id/heartbeat',
    {
      schema: {
        operationId: 'heartbeatPhone',
        summary: 'Reset the idle timer',
        tags: ['phones'],
        params: phoneParams,
        headers: postHeaders,
        body: noBody,
        response: {
          200: phoneSchema,
          ...describeErrors('payload_too_large', 'phone_not_found', 'phone_not_allowed', ...notReady),
        },
      },
      config: { scope: 'phones:control' },
    },
    async (request) =>
      phoneJson(await services.phones.heartbeat(callerOf(request), phoneIdOf(request.params))),
  )
}
