/** Requests with the keys of a project that changed something, newest first. */
import { type FastifyInstance } from 'fastify'
import { listActivity } from '../../activity/listing.js'
import { projectPath } from './caller.js'
import { projectOf, type GateDeps } from './gate.js'

const listed = 50

export function addActivity(app: FastifyInstance, { core }: Pick<GateDeps, 'core'>): void {
  app.get<{ Querystring: { before?: unknown } }>(`${projectPath}/activity`, (request) => {
    const { before } = request.query
    return listActivity(core, {
      ...{ projectId: projectOf(request).id, limit: listed },
      before: typeof before === 'string' ? before : null,
    })
  })
}
