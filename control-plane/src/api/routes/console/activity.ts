/** Requests with the keys of a project, and of members in the console, that changed something. Newest first. */
import { isId } from '@phonerack/shared'
import { type FastifyInstance } from 'fastify'
import { listActivity, type ActivityFilter } from '../../../rental/activity/listing.js'
import { activityText } from '../../../rental/activity/texts.js'
import { invalidField, refSchema } from '../../../base/validation/fields.js'
import { projectOf, type GateDeps } from './gate.js'
import { entryAnswer } from './answers.js'
import { pageBefore } from '../shape.js'
import { route } from './route.js'

const listed = 50

type Query = Partial<Record<'by' | 'phone' | 'refused', unknown>>

/** @throws ApiError validation_failed */
function filterOf({ by, phone, refused }: Query): ActivityFilter {
  const sender = refSchema.optional().safeParse(by)
  if (!sender.success) throw invalidField('by', 'must be the ID of a key or of a person')
  if (phone !== undefined && !(typeof phone === 'string' && isId('phone', phone)))
    throw invalidField('phone', 'must be the ID of a phone')
  return {
    ...(sender.data === undefined ? {} : { by: sender.data }),
    ...(phone === undefined ? {} : { phoneId: phone }),
    isRefused: refused === 'true',
  }
}

export function addActivity(app: FastifyInstance, { core }: Pick<GateDeps, 'core'>): void {
  route(
    app,
    'GET /projects/:project/activity',
    { query: ['before', 'by', 'phone', 'refused'], answer: pageBefore(entryAnswer) },
    async (request) => {
      const { before } = request.query
      const { data, ...page } = await listActivity(core, {
        projectId: projectOf(request).id,
        filter: filterOf(request.query),
        limit: listed,
        before: typeof before === 'string' ? before : null,
      })
      return {
        data: data.map((entry) => ({ ...entry, text: activityText(entry.method, entry.route) })),
        ...page,
      }
    },
  )
}
