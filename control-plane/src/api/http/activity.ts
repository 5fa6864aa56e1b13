/** Writes requests that change something to the activity list, after their responses. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isId } from '@phonerack/shared'
import { summaryOf } from './activity-summary.js'
import { type ActivityService } from '../../rental/activity/types.js'

interface Changing {
  projectId: string
  /** The ID of the key, or of the user of the console. */
  keyId: string
  at: Date
  /** The ID in the path, which may be the ID of something other than a phone. */
  phoneId: string | undefined
}

export const isChange = ({ method }: FastifyRequest): boolean => method !== 'GET' && method !== 'HEAD'

/** Called by the hook `onResponse`. */
export function recordChange(
  activity: ActivityService,
  request: FastifyRequest,
  reply: FastifyReply,
  { phoneId, ...of }: Changing,
): void {
  const { path } = request.query as { path?: unknown }
  activity.record({
    ...of,
    requestId: request.id,
    method: request.method,
    route: request.routeOptions.url ?? '',
    phoneId: phoneId !== undefined && isId('phone', phoneId) ? phoneId : null,
    status: reply.statusCode,
    code: request.errorCode,
    ms: Math.round(reply.elapsedTime),
    summary: summaryOf(request.readBody, path),
  })
}

/** Records every change that a request with a key makes. Used in the scope of `/v1`. */
export function addActivity(app: FastifyInstance, activity: ActivityService, now: () => Date): void {
  app.addHook('onResponse', (request, reply, done) => {
    const { caller } = request
    if (!caller || !isChange(request)) return done()
    const { projectId, keyId } = caller
    const { id } = request.params as { id?: string }
    recordChange(activity, request, reply, { projectId, keyId, at: now(), phoneId: id })
    done()
  })
}
