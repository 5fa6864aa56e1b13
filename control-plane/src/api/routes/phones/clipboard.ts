/** GET and PUT /v1/phones/{id}/clipboard */
import { limits } from '@phonerack/shared'
import { z } from 'zod'
import { type Route } from '../deps.js'
import { changePhone, describeErrors, intoPhone } from '../errors.js'
import { phoneParams } from '../fields.js'
import { whileActive } from '../into-phone.js'

const { min, max } = limits.clipboard
const answer = z.object({ text: z.string().meta({ description: 'The text in the clipboard.' }) })

export const setClipboardBody = z.strictObject({
  text: z
    .string()
    .refine((text) => text.length >= min && Array.from(text).length <= max, {
      message: `must have between ${min} and ${max} characters`,
    })
    .meta({
      minLength: min,
      maxLength: max,
      description: 'The text is stored unchanged, including white space.',
    }),
})

export const getClipboard: Route = (app, deps) => {
  app.get(
    '/phones/:id/clipboard',
    {
      schema: {
        operationId: 'getClipboard',
        summary: 'Read the clipboard',
        tags: ['device'],
        params: phoneParams,
        response: { 200: answer, ...describeErrors('clipboard_unavailable', ...intoPhone) },
      },
      config: { scope: 'phones:control' },
    },
    async (request, reply) => {
      const text = await whileActive(deps, request, reply, (caller, id, context) =>
        deps.services.settings.clipboard(caller, id, context),
      )
      return { text }
    },
  )
}

export const setClipboard: Route = (app, deps) => {
  app.put(
    '/phones/:id/clipboard',
    {
      schema: {
        operationId: 'setClipboard',
        summary: 'Set the clipboard',
        tags: ['device'],
        params: phoneParams,
        body: setClipboardBody,
        response: { 200: answer, ...describeErrors('payload_too_large', ...changePhone) },
      },
      config: { scope: 'phones:control' },
    },
    async (request, reply) => {
      const { text } = request.body
      await whileActive(deps, request, reply, (caller, id, context) =>
        deps.services.settings.setClipboard(caller, id, text, context),
      )
      return { text }
    },
  )
}
