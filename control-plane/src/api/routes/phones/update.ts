/** PATCH /v1/phones/{id} */
import { z } from 'zod'
import { callerOf } from '../../http/auth.js'
import { phoneIdOf, type Route } from '../deps.js'
import { describeErrors } from '../errors.js'
import { metadataField, nameField, phoneParams } from '../fields.js'
import { noteActivity } from '../lifecycle.js'
import { phoneSchema } from '../schemas.js'
import { phoneJson } from '../views.js'

const updatePhoneBody = z
  .strictObject({
    name: nameField.optional(),
    metadata: metadataField.optional().meta({ description: 'Replaces all metadata.' }),
  })
  .prefault({})

export const updatePhone: Route = (app, deps) => {
  app.patch(
    '/phones/:id',
    {
      schema: {
        operationId: 'updatePhone',
        summary: 'Rename a phone or replace its metadata',
        tags: ['phones'],
        params: phoneParams,
        body: updatePhoneBody,
        response: {
          200: phoneSchema,
          ...describeErrors('payload_too_large', 'phone_not_found', 'phone_not_allowed', 'phone_deleted'),
        },
      },
      config: { scope: 'phones:control' },
    },
    async (request) => {
      const id = phoneIdOf(request.params)
      const { name, metadata } = request.body
      const phone = await deps.services.phones.update(callerOf(request), id, {
        ...(name === undefined ? {} : { name }),
        ...(metadata === undefined ? {} : { metadata }),
      })
      await noteActivity(deps, request, id)
      return phoneJson(phone)
    },
  )
}
