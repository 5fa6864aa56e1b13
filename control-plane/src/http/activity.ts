/**
 * Records every request with a key that changes something, after its response. For the scope of
 * `/v1`.
 */
import type { FastifyInstance } from 'fastify'
import { isId } from '@phonerack/shared'
import { summaryOf } from './activity-summary.js'
import { type ActivityService } from '../activity/types.js'

export function addActivity(app: FastifyInstance, activity: ActivityService, now: () => Date): void {
  app.addHook('onResponse', (request, reply, done) => {
    const { caller, method } = request
    if (!caller || method === 'GET' || method === 'HEAD') return done()
    const { id } = request.params as { id?: string }
    const { path } = request.query as { path?: unknown }
    activity.record({
      projectId: caller.projectId,
      keyId: caller.keyId,
      requestId: request.id,
      at: now(),
      method,
      route: request.routeOptions.url ?? '',
      phoneId: id !== undefined && isId('phone', id) ? id : null,
      status: reply.statusCode,
      code: request.errorCode,
      ms: Math.round(reply.elapsedTime),
      summary: summaryOf(request.readBody, path),
    })
    done()
  })
}
