/** GET and PUT /v1/phones/{id}/timezone */
import { isTimeZone } from '@phonerack/shared'
import { z } from 'zod'
import { type Route } from '../deps.js'
import { changePhone, describeErrors, intoPhone } from '../errors.js'
import { phoneParams } from '../fields.js'
import { whileActive } from '../into-phone.js'

const setTimezoneBody = z.strictObject({
  timezone: z
    .string()
    .max(64)
    .refine(isTimeZone, { message: 'must be the exact name of a time zone, such as `Europe/Berlin`' })
    .meta({
      description:
        'The exact name of a time zone in the tz database, including links such as `EST` and `Etc/GMT+9`. Offsets such as `+05:30` or `UTC+5` are refused.',
    }),
})

export const getTimezone: Route = (app, deps) => {
  app.get(
    '/phones/:id/timezone',
    {
      schema: {
        operationId: 'getTimezone',
        summary: 'Read the time zone',
        tags: ['device'],
        params: phoneParams,
        response: {
          200: z.object({
            timezone: z
              .string()
              .nullable()
              .meta({ description: 'IANA name, or null while the default applies.' }),
          }),
          ...describeErrors(...intoPhone),
        },
      },
      config: { scope: 'phones:read' },
    },
    async (request, reply) => {
      const timezone = await whileActive(deps, request, reply, (caller, id, context) =>
        deps.services.settings.timezone(caller, id, context),
      )
      return { timezone }
    },
  )
}

export const setTimezone: Route = (app, deps) => {
  app.put(
    '/phones/:id/timezone',
    {
      schema: {
        operationId: 'setTimezone',
        summary: 'Set the time zone',
        tags: ['device'],
        params: phoneParams,
        body: setTimezoneBody,
        response: {
          200: z.object({ timezone: z.string().meta({ description: 'IANA name.' }) }),
          ...describeErrors('payload_too_large', ...changePhone),
        },
      },
      config: { scope: 'phones:control' },
    },
    async (request, reply) => {
      const timezone = await whileActive(deps, request, reply, (caller, id, context) =>
        deps.services.settings.setTimezone(caller, id, request.body.timezone, context),
      )
      return { timezone }
    },
  )
}
