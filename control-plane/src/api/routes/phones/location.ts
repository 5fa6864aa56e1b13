/** GET, PUT and DELETE /v1/phones/{id}/location */
import { z } from 'zod'
import { type Route } from '../deps.js'
import { changePhone, describeErrors, intoPhone } from '../errors.js'
import { noBody, phoneParams } from '../fields.js'
import { whileActive } from '../into-phone.js'

const coordinates = {
  lat: z.number().min(-90).max(90).meta({ description: 'Degrees north.' }),
  lng: z.number().min(-180).max(180).meta({ description: 'Degrees east.' }),
}

export const setLocationBody = z.strictObject({
  ...coordinates,
  timezone_from_location: z
    .boolean()
    .default(true)
    .meta({ description: 'Also set the time zone of the location.' }),
})

export const getLocation: Route = (app, deps) => {
  app.get(
    '/phones/:id/location',
    {
      schema: {
        operationId: 'getLocation',
        summary: 'Read the location',
        tags: ['device'],
        params: phoneParams,
        response: { 200: z.object(coordinates), ...describeErrors(...intoPhone) },
      },
      config: { scope: 'phones:read' },
    },
    async (request, reply) => {
      return whileActive(deps, request, reply, (caller, id, context) =>
        deps.services.settings.location(caller, id, context),
      )
    },
  )
}

export const setLocation: Route = (app, deps) => {
  app.put(
    '/phones/:id/location',
    {
      schema: {
        operationId: 'setLocation',
        summary: 'Set the location',
        tags: ['device'],
        params: phoneParams,
        body: setLocationBody,
        response: {
          200: z.object({
            ...coordinates,
            timezone: z
              .string()
              .nullable()
              .meta({ description: 'Null if it was not requested or the phone cannot set it.' }),
          }),
          ...describeErrors('payload_too_large', ...changePhone),
        },
      },
      config: { scope: 'phones:control' },
    },
    async (request, reply) => {
      const { lat, lng, timezone_from_location: withTimezone } = request.body
      const timezone = await whileActive(deps, request, reply, (caller, id, context) =>
        deps.services.settings.setLocation(caller, id, { location: { lat, lng }, withTimezone }, context),
      )
      return { lat, lng, timezone }
    },
  )
}

export const resetLocation: Route = (app, deps) => {
  app.delete(
    '/phones/:id/location',
    {
      schema: {
        operationId: 'resetLocation',
        summary: 'Restore the default location',
        tags: ['device'],
        params: phoneParams,
        body: noBody,
        response: {
          200: z.object({ reset: z.literal(true) }),
          ...describeErrors('payload_too_large', ...changePhone),
        },
      },
      config: { scope: 'phones:control' },
    },
    async (request, reply) => {
      await whileActive(deps, request, reply, (caller, id, context) =>
        deps.services.settings.resetLocation(caller, id, context),
      )
      return { reset: true as const }
    },
  )
}
