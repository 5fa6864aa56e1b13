/** POST /v1/phones/{id}/park */
import { z } from 'zod'
import { callerOf } from '../../http/auth.js'
import { phoneIdOf, type Route } from '../deps.js'
import { describeErrors, phoneFailures } from '../errors.js'
import { phoneParams, postHeaders, waitField } from '../fields.js'
import { waitAfterWrite } from '../lifecycle.js'
import { phoneSchema } from '../schemas.js'
import { phoneJson } from '../views.js'
import { settledForPark } from '../waiting.js'

const parkPhoneBody = z.strictObject({ wait: waitField }).prefault({})

export const parkPhone: Route = (app, deps) => {
  app.post(
    '/phones/:id/park',
    {
      schema: {
        operationId: 'parkPhone',
        summary: 'Park a phone',
        tags: ['phones'],
        params: phoneParams,
        headers: postHeaders,
        body: parkPhoneBody,
        response: {
          200: phoneSchema,
          202: phoneSchema,
          ...describeErrors(
            'payload_too_large',
            'phone_not_found',
            'phone_not_allowed',
            'phone_not_running',
            'phone_deleted',
            'phone_failed',
            ...phoneFailures,
          ),
        },
      },
      config: { scope: 'phones:control' },
    },
    async (request, reply) => {
      const parking = await deps.services.phones.park(callerOf(request), phoneIdOf(request.params))
      const phone = request.body.wait
        ? await waitAfterWrite(deps, request, reply, parking, settledForPark)
        : parking
      return reply
        .code(phone.status === 'parked' || phone.status === 'deleted' ? 200 : 202)
        .send(phoneJson(phone))
    },
  )
}
