/** GET /v1/events: a list, or a stream of server-sent events. */
import { ApiError } from '@phonerack/shared'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { bearerKey, callerOf } from '../../http/auth.js'
import { eventTypes, type EventFilter } from '../../../events/events/types.js'
import { type Route, type RouteDeps } from '../deps.js'
import { describeErrors } from '../errors.js'
import { pageFields } from '../fields.js'
import { eventPageSchema } from './schemas.js'
import { frameOf, lastEventIdOf, sendEvents, wantsStream } from './sse.js'

/** Milliseconds between two checks of a stream's key, if no notification arrives earlier. */
const checkKeyMs = 5000
/** Milliseconds that a stream gets to end by itself once its key is invalid. */
const endMs = 1000

const listEventsQuery = z.object({
  type: z.enum(eventTypes).optional().meta({ description: 'Only events of this type.' }),
  phone: z.string().optional().meta({ description: 'Only events of the phone with this ID.' }),
  ...pageFields,
})

export const listEvents: Route = (app, deps) => {
  app.get(
    '/events',
    {
      schema: {
        operationId: 'listEvents',
        summary: 'List or follow events',
        description:
          "Lists changes of the project's phones, sessions, apps, recordings and credit, newest first. Events are kept for 7 days. With `Accept: text/event-stream`, new events arrive as server-sent events until the client closes the connection: `id` is the event's ID, `event` its type and `data` the event. A client that connects again sends the last `id` as `Last-Event-ID` and gets the events after that ID; `limit` and `cursor` have no effect. If some of these events have expired, the stream starts with an event `gap`. The stream has a comment every 15 seconds. Each event arrives at least once, and the events of one phone arrive in order. A key that is limited to certain phones gets only the events of these phones.",
        tags: ['events'],
        querystring: listEventsQuery,
        headers: z.object({
          'last-event-id': z
            .string()
            .max(500)
            .optional()
            .meta({ description: 'The last `id` that the client of a stream received.' }),
        }),
        response: {
          200: {
            description: 'A page of events, or with `Accept: text/event-stream` a stream of events.',
            content: {
              'application/json': { schema: eventPageSchema },
              'text/event-stream': { schema: z.string() },
            },
          },
          ...describeErrors('phone_not_found', 'phone_not_allowed'),
        },
      },
      config: { scope: 'phones:read' },
    },
    async (request, reply) => {
      const { type = null, phone: phoneId = null, limit, cursor = null } = request.query
      const filter = { type, phoneId }
      if (wantsStream(request.headers.accept)) return streamEvents(deps, request, reply, filter)
      const page = await deps.services.events.list(callerOf(request), filter, { limit, cursor })
      return { data: page.data, next_cursor: page.nextCursor }
    },
  )
}

async function streamEvents(
  deps: RouteDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  filter: EventFilter,
): Promise<FastifyReply> {
  deps.eventStreams.hold(callerOf(request), reply)
  const revoked = watchKey(deps, request, reply)
  const items = await deps.services.events.stream(
    callerOf(request),
    filter,
    lastEventIdOf(request),
    AbortSignal.any([deps.lifetimes.wait(reply), revoked]),
  )
  const body = sendEvents(reply, items, frameOf, deps.eventStallMs)
  const cut = (): void => void setTimeout(() => body.destroy(), endMs).unref()
  if (revoked.aborted) cut()
  else revoked.addEventListener('abort', cut, { once: true })
  return reply
}

/** Returns a signal that aborts when the key of the request is revoked or expires, until the response ends. */
function watchKey({ services }: RouteDeps, request: FastifyRequest, reply: FastifyReply): AbortSignal {
  const revoked = new AbortController()
  const secret = bearerKey(request.headers.authorization) ?? ''
  const check = (): void => {
    services.keys.authenticate(secret).then(
      () => undefined,
      (error: unknown) => {
        if (error instanceof ApiError) revoked.abort()
        else request.log.warn({ err: error }, 'could not check the key of a stream')
      },
    )
  }
  if (reply.raw.destroyed) return revoked.signal
  const timer = setInterval(check, checkKeyMs)
  const unwatch = services.keys.watch(callerOf(request).keyHash, check)
  reply.raw.once('close', () => {
    clearInterval(timer)
    unwatch()
  })
  return revoked.signal
}
