/** POST /v1/phones/{id}/reset */
import { z } from 'zod'
import { type Route } from '../deps.js'
import { changePhone, describeErrors } from '../errors.js'
import { noBody, phoneParams, postHeaders } from '../fields.js'
import { whileActive } from '../into-phone.js'
import { phoneSchema } from '../schemas.js'
import { phoneJson } from '../views.js'

/** The data that a reset erases. */
const wiped = ['apps', 'files', 'accounts', 'clipboard']

export const resetPhone: Route = (app, deps) => {
  app.post(
    '/phones/:id/reset',
    {
      schema: {
        operationId: 'resetPhone',
        summary: 'Reset a phone',
        description:
          'Wipes apps, files, accounts and the clipboard, at most once a minute. The session continues; wait until the phone is `ready` again.',
        tags: ['device'],
        params: phoneParams,
        headers: postHeaders,
        body: noBody,
        response: {
          202: z.object({ phone: phoneSchema, wiped: z.array(z.string()) }),
          ...describeErrors('payload_too_large', ...changePhone),
        },
      },
      config: { scope: 'phones:delete' },
    },
    async (request, reply) => {
      const phone = await whileActive(deps, request, reply, (caller, id, context) =>
        deps.services.power.reset(caller, id, context),
      )
      return reply.code(202).send({ phone: phoneJson(phone), wiped })
    },
  )
}
