/**
 * Tells a page when something in its project changes, as server-sent events without contents: the page reads again
 * what it shows.
 */
import { ApiError, limits } from '@phonerack/shared'
import { type FastifyInstance } from 'fastify'
import { Readable } from 'node:stream'
import { type StreamItem } from '../../events/types.js'
import { createHeldOpen } from '../../http/held-open.js'
import { sendStream } from '../deps.js'
import { frameOf, streamHead, wantsStream } from '../events/sse.js'
import { callerFor, projectPath, type ProjectDeps } from './caller.js'

/** Milliseconds after which a stream ends. The browser connects again, and what the user may do is checked again. */
const streamMs = 60_000
/** A browser has one for each visible page. */
const streamsPerUser = 12

async function* framesOf(items: AsyncIterable<StreamItem>): AsyncGenerator<string> {
  yield streamHead
  for await (const item of items)
    if (item.kind === 'event') {
      const { id, type, phone_id } = item.event
      yield `id: ${id}\ndata: ${JSON.stringify({ type, phone_id })}\n\n`
    } else yield item.kind === 'gap' ? 'data: {"type":"gap","phone_id":null}\n\n' : frameOf(item)
}

export function addChanges(app: FastifyInstance, { services }: ProjectDeps): void {
  const held = createHeldOpen({ kind: 'pages', most: streamsPerUser })
  app.get(`${projectPath}/changes`, async (request, reply) => {
    if (!wantsStream(request.headers.accept))
      throw new ApiError('invalid_request', { message: 'This is a stream: send Accept: text/event-stream.' })
    const caller = callerFor(request, reply)
    held.hold(caller, reply)
    const last = request.headers['last-event-id']
    const ending = AbortSignal.any([app.lifetimes.wait(reply), AbortSignal.timeout(streamMs)])
    const items = await services.events.stream(
      caller,
      { type: null, phoneId: null },
      typeof last === 'string' && last !== '' ? last : null,
      ending,
    )
    const body = Readable.from(framesOf(items), { objectMode: false })
    // A client that does not read its stream must not keep it open.
    const cut = setTimeout(() => body.destroy(), streamMs + limits.events.stall * 1000)
    reply.raw.once('close', () => clearTimeout(cut))
    return sendStream(reply.header('x-accel-buffering', 'no'), 'text/event-stream; charset=utf-8', body)
  })
}
