/** DELETE /v1/phones/{id} */
import { callerOf } from '../../http/auth.js'
import { phoneIdOf, type Route } from '../deps.js'
import { describeErrors } from '../errors.js'
import { noBody, phoneParams } from '../fields.js'
import { phoneSchema } from '../schemas.js'
import { phoneJson } from '../views.js'

export const deletePhone: Route = (app, { services }) => {
  app.delete(
    '/phones/:id',
    {
      schema: {
        operationId: 'deletePhone',
        summary: 'Delete a phone with its data',
        tags: ['phones'],
        params: phoneParams,
        body: noBody,
        response: {
          200: phoneSchema,
          ...describeErrors('payload_too_large', 'phone_not_found', 'phone_not_allowed'),
        },
      },
      config: { scope: 'phones:delete' },
    },
    async (request) => phoneJson(await services.phones.delete(callerOf(request), phoneIdOf(request.params))),
  )
}
