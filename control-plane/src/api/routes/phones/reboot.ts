/** POST /v1/phones/{id}/reboot */
import { type Route } from '../deps.js'
import { changePhone, describeErrors } from '../errors.js'
import { noBody, phoneParams, postHeaders } from '../fields.js'
import { whileActive } from '../into-phone.js'
import { phoneSchema } from '../schemas.js'
import { phoneJson } from '../views.js'

export const rebootPhone: Route = (app, deps) => {
  app.post(
    '/phones/:id/reboot',
    {
      schema: {
        operationId: 'rebootPhone',
        summary: 'Reboot a phone',
        description:
          'Restarts the phone, at most once in 10 minutes. The session continues; wait until the phone is `ready` again.',
        tags: ['device'],
        params: phoneParams,
        headers: postHeaders,
        body: noBody,
        response: { 202: phoneSchema, ...describeErrors('payload_too_large', ...changePhone) },
      },
      config: { scope: 'phones:control' },
    },
    async (request, reply) => {
      const phone = await whileActive(deps, request, reply, (caller, id, context) =>
        deps.services.power.reboot(caller, id, context),
      )
      return reply.code(202).send(phoneJson(phone))
    },
  )
}
