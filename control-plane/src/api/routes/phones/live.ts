/** POST /v1/phones/{id}/live */
import { limits } from '@phonerack/shared'
import { z } from 'zod'
import { type Route } from '../deps.js'
import { describeErrors, intoPhone } from '../errors.js'
import { phoneParams, postHeaders } from '../fields.js'
import { whileActive } from '../into-phone.js'

const { min, max, default: defaultSeconds } = limits.live.expiresIn

const createLiveLinkBody = z
  .strictObject({
    expires_in: z
      .int()
      .min(min)
      .max(max)
      .default(defaultSeconds)
      .meta({
        description: 'Seconds until the link expires. It ends earlier when the phone is parked or deleted.',
      }),
    control: z
      .boolean()
      .optional()
      .meta({
        description:
          'If false, the link shows the screen and does not accept input. Default: true, and false for the profile `guarded`, whose links never accept input.',
      }),
  })
  .prefault({})

export const createLiveLink: Route = (app, deps) => {
  app.post(
    '/phones/:id/live',
    {
      schema: {
        operationId: 'createLiveLink',
        summary: 'Create a live view link',
        description:
          'Until `expires_at`, anyone with the URL can watch the phone in a browser, and control it if `control` is true. The URL acts like a password and cannot be shown again.',
        tags: ['device'],
        params: phoneParams,
        headers: postHeaders,
        body: createLiveLinkBody,
        response: {
          201: z.object({ url: z.string(), expires_at: z.iso.datetime() }),
          ...describeErrors('payload_too_large', 'handoff_required', ...intoPhone),
        },
      },
      config: { scope: 'phones:control' },
    },
    async (request, reply) => {
      const { expires_in: expiresIn, control } = request.body
      const link = await whileActive(deps, request, reply, (caller, id) =>
        deps.services.live.createLink(caller, id, { expiresIn, control }),
      )
      return reply.code(201).send({ url: link.url, expires_at: link.expiresAt.toISOString() })
    },
  )
}
