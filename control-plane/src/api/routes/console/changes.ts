/**
 * Notifies a page of changes in its project, or in all projects of its user, as server-sent events without contents.
 * The page then reads its data again.
 */
import { ApiError, limits } from '@phonerack/shared'
import { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { type ProjectsItem, type StreamItem } from '../../../events/events/types.js'
import { createHeldOpen, type Holder } from '../../http/held-open.js'
import { listMemberships } from '../../../people/users/members.js'
import { frameOf, lastEventIdOf, sendEvents, wantsStream } from '../events/sse.js'
import { callerFor, projectPath, type ProjectDeps } from './caller.js'
import { apiPath, signedInOf } from './gate.js'

/** Milliseconds after which a stream ends. The browser connects again, which checks the user's rights again. */
const streamMs = 60_000
/**
 * Limits the streams of a user, of single projects and of all projects together. A browser has one stream for each
 * visible page.
 */
const streamsPerUser = 12

function textOf(item: StreamItem | ProjectsItem): string {
  switch (item.kind) {
    case 'event': {
      const { id, type, phone_id } = item.event
      return `id: ${id}\ndata: ${JSON.stringify({ type, phone_id })}\n\n`
    }
    case 'gap':
      return 'data: {"type":"gap","phone_id":null}\n\n'
    case 'change':
      return `id: ${item.id}\ndata: ${JSON.stringify({ project_ids: item.projectIds })}\n\n`
    default:
      return frameOf(item)
  }
}

/** Opens the items of a stream. @param lastEventId null for a new client */
type OpenItems = (
  lastEventId: string | null,
  ending: AbortSignal,
) => Promise<AsyncIterable<StreamItem | ProjectsItem>>

export function addChanges(app: FastifyInstance, { core, services }: ProjectDeps): void {
  const held = createHeldOpen({ kind: 'pages', most: streamsPerUser })

  async function send(
    request: FastifyRequest,
    reply: FastifyReply,
    holder: Holder,
    open: OpenItems,
  ): Promise<FastifyReply> {
    if (!wantsStream(request.headers.accept))
      throw new ApiError('invalid_request', { message: 'This is a stream: send Accept: text/event-stream.' })
    held.hold(holder, reply)
    const items = await open(lastEventIdOf(request), app.lifetimes.wait(reply, streamMs))
    sendEvents(reply, items, textOf, limits.events.stall * 1000)
    return reply
  }

  app.get(`${projectPath}/changes`, (request, reply) => {
    const caller = callerFor(request, reply)
    return send(request, reply, caller, (last, ending) =>
      services.events.stream(caller, { type: null, phoneId: null }, last, ending),
    )
  })
  app.get(`${apiPath}/changes`, (request, reply) => {
    const { user } = signedInOf(request)
    const projectIds = async () => (await listMemberships(core, user)).map(({ id }) => id)
    const holder = { keyId: user.id, projectId: '' }
    return send(request, reply, holder, (last, ending) =>
      services.events.streamOfProjects({ userId: user.id, projectIds }, last, ending),
    )
  })
}
