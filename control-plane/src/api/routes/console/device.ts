/** The inside of a ready phone: its screen as agents see it, clipboard, location and log. */
import { limits, observationSchema } from '@phonerack/shared'
import { type FastifyInstance } from 'fastify'
import { z } from 'zod'
import { logLevelNames } from '../../../phone-io/device-control/types.js'
import { invalidField } from '../../../base/validation/fields.js'
import { sendJson } from '../deps.js'
import { setClipboardBody } from '../phones/clipboard.js'
import { setLocationBody } from '../phones/location.js'
import { changing, intoPhone, type ProjectDeps } from './caller.js'
import { clipboardAnswer, locationAnswer, logsAnswer } from './answers.js'
import { route } from './route.js'

/** Pixels of the picture, which is shown next to the elements. */
const pictureWidth = 720

const levelSchema = z.enum(logLevelNames).default('info')

export function addDevice(app: FastifyInstance, { services }: ProjectDeps): void {
  const { phones, deviceControl, settings, reports } = services
  route(
    app,
    'GET /projects/:project/phones/:phone/screen',
    { answer: observationSchema },
    async (request, reply) => {
      const { caller, phoneId, context } = intoPhone(request, reply)
      const picture = { format: 'jpeg', maxWidth: pictureWidth, quality: null } as const
      return sendJson(reply, (await deviceControl.observe(caller, phoneId, picture, context)).json)
    },
  )

  route(
    app,
    'GET /projects/:project/phones/:phone/clipboard',
    { answer: clipboardAnswer },
    async (request, reply) => {
      const { caller, phoneId, context } = intoPhone(request, reply)
      return { text: await settings.clipboard(caller, phoneId, context) }
    },
  )
  route(
    app,
    'PUT /projects/:project/phones/:phone/clipboard',
    { body: setClipboardBody, answer: clipboardAnswer },
    (request, reply) => {
      const { text } = request.body
      return changing(request, reply, phones, async ({ caller, phoneId, context }) => {
        await settings.setClipboard(caller, phoneId, text, context)
        return { text }
      })
    },
  )

  route(
    app,
    'GET /projects/:project/phones/:phone/location',
    { answer: locationAnswer },
    async (request, reply) => {
      const { caller, phoneId, context } = intoPhone(request, reply)
      return settings.location(caller, phoneId, context)
    },
  )
  route(
    app,
    'PUT /projects/:project/phones/:phone/location',
    { body: setLocationBody, answer: locationAnswer },
    (request, reply) => {
      const { timezone_from_location: withTimezone, ...location } = request.body
      return changing(request, reply, phones, async ({ caller, phoneId, context }) => {
        const timezone = await settings.setLocation(caller, phoneId, { location, withTimezone }, context)
        return { ...location, timezone }
      })
    },
  )
  route(
    app,
    'DELETE /projects/:project/phones/:phone/location',
    { answer: locationAnswer },
    (request, reply) =>
      changing(request, reply, phones, async ({ caller, phoneId, context }) => {
        await settings.resetLocation(caller, phoneId, context)
        return settings.location(caller, phoneId, context)
      }),
  )

  route(
    app,
    'GET /projects/:project/phones/:phone/logs',
    { query: ['level', 'cursor'], answer: logsAnswer },
    async (request, reply) => {
      const { level, cursor } = request.query
      const parsed = levelSchema.safeParse(level)
      if (!parsed.success) throw invalidField('level', `must be one of ${logLevelNames.join(', ')}`)
      const { caller, phoneId, context } = intoPhone(request, reply)
      const query = {
        package: null,
        level: parsed.data,
        since: null,
        limit: limits.logs.lines.default,
        cursor: typeof cursor === 'string' ? cursor : null,
      }
      const page = await reports.logs(caller, phoneId, query, context)
      const data = page.data.map(({ at, ...line }) => ({ at: at?.toISOString() ?? null, ...line }))
      return { data, next_cursor: page.nextCursor }
    },
  )
}
