/** GET and PUT /v1/phones/{id}/timezone */
import { z } from 'zod'
import { callerOf } from '../../http/auth.js'
import { phoneIdOf, type Route } from '../deps.js'
import { changePhone, describeErrors, intoPhone } from '../errors.js'
import { phoneParams } from '../fields.js'
import { whileActive } from '../into-phone.js'

/** `Area/City` as the tz database spells it, or one of its few names without an area. */
const zoneForm = /^(UTC|GMT|[A-Z][A-Za-z_]+(\/[A-Z][A-Za-z0-9_+-]*){1,2})$/

/** Whether Intl knows the zone: its list, and the links to it. Offsets are no zones. */
export function isZone(name: string): boolean {
  if (!zoneForm.test(name) || /^Etc\/GMT[+-]/.test(name)) return false
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch (error) {
    if (error instanceof RangeError) return false
    throw error
  }
}

export const setTimezoneBody = z.strictObject({
  timezone: z
    .string()
    .max(64)
    .refine(isZone, { message: 'must be an IANA time zone, spelt exactly, such as Europe/Berlin' })
    .meta({ description: 'An IANA name, spelt exactly; no offset.' }),
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
            timezone: z.string().nullable().meta({ description: 'IANA name; null while it is the default.' }),
          }),
          ...describeErrors(...intoPhone),
        },
      },
      config: { scope: 'phones:read' },
    },
    async (request, reply) => {
      const id = phoneIdOf(request.params)
      const timezone = await whileActive(deps, request, reply, id, (context) =>
        deps.services.settings.timezone(callerOf(request), id, context),
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
          ...describeErrors('validation_failed', 'payload_too_large', ...changePhone),
        },
      },
      config: { scope: 'phones:control' },
    },
    async (request, reply) => {
      const id = phoneIdOf(request.params)
      const timezone = await whileActive(deps, request, reply, id, (context) =>
        deps.services.settings.setTimezone(callerOf(request), id, request.body.timezone, context),
      )
      return { timezone }
    },
  )
}
