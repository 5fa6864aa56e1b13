/** GET and PUT /v1/phones/{id}/locale */
import { z } from 'zod'
import { type Route } from '../deps.js'
import { changePhone, describeErrors, intoPhone } from '../errors.js'
import { phoneParams } from '../fields.js'
import { whileActive } from '../into-phone.js'

const answer = z.object({ locale: z.string().meta({ description: 'For example `en-US`.' }) })

const setLocaleBody = z.strictObject({
  locale: z
    .string()
    .regex(/^[a-z]{2,3}(-[A-Z][a-z]{3})?(-([A-Z]{2}|\d{3}))?$/, {
      message:
        'must be a language, optionally followed by a script and a region, such as `en-US`, `zh-Hant-TW` or `es-419`',
    })
    .meta({
      description: 'Language, optionally followed by a script and a region: `en-US`, `zh-Hant-TW`, `es-419`.',
    }),
})

export const getLocale: Route = (app, deps) => {
  app.get(
    '/phones/:id/locale',
    {
      schema: {
        operationId: 'getLocale',
        summary: 'Read the locale',
        tags: ['device'],
        params: phoneParams,
        response: { 200: answer, ...describeErrors(...intoPhone) },
      },
      config: { scope: 'phones:read' },
    },
    async (request, reply) => {
      const locale = await whileActive(deps, request, reply, (caller, id, context) =>
        deps.services.settings.locale(caller, id, context),
      )
      return { locale }
    },
  )
}

export const setLocale: Route = (app, deps) => {
  app.put(
    '/phones/:id/locale',
    {
      schema: {
        operationId: 'setLocale',
        summary: 'Set the locale',
        tags: ['device'],
        params: phoneParams,
        body: setLocaleBody,
        response: { 200: answer, ...describeErrors('payload_too_large', ...changePhone) },
      },
      config: { scope: 'phones:control' },
    },
    async (request, reply) => {
      const locale = await whileActive(deps, request, reply, (caller, id, context) =>
        deps.services.settings.setLocale(caller, id, request.body.locale, context),
      )
      return { locale }
    },
  )
}
