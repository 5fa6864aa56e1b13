/** Events of a project, newest first, in the form of `GET /v1/events`. */
import { type FastifyInstance } from 'fastify'
import { z } from 'zod'
import { eventTypes } from '../../../events/events/types.js'
import { invalidField } from '../../../base/validation/fields.js'
import { callerFor, type ProjectDeps } from './caller.js'
import { eventsAnswer } from './answers.js'
import { route } from './route.js'

const listed = 50

const typeSchema = z.enum(eventTypes).optional()

export function addEvents(app: FastifyInstance, { services }: ProjectDeps): void {
  route(
    app,
    'GET /projects/:project/events',
    { query: ['type', 'phone', 'cursor'], answer: eventsAnswer },
    async (request, reply) => {
      const { type, phone, cursor } = request.query
      const parsed = typeSchema.safeParse(type)
      if (!parsed.success) throw invalidField('type', `must be one of ${eventTypes.join(', ')}`)
      // A repeated parameter would otherwise show all phones.
      if (phone !== undefined && typeof phone !== 'string')
        throw invalidField('phone', 'must be given at most once')
      const filter = { type: parsed.data ?? null, phoneId: phone ?? null }
      const query = { limit: listed, cursor: typeof cursor === 'string' ? cursor : null }
      const page = await services.events.list(callerFor(request, reply), filter, query)
      return { data: page.data, next_cursor: page.nextCursor, types: eventTypes }
    },
  )
}
