/** Writes streams of events in the format of server-sent events (WHATWG HTML, section 9.2). */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Readable } from 'node:stream'
import { type StreamItem } from '../../../events/events/types.js'
import { sendStream } from '../deps.js'

/** Milliseconds after which a client reconnects when its stream has ended. */
const retryMs = 1000

/** The first bytes of a stream. */
export const streamHead = `retry: ${retryMs}\n\n`

/** Yields the text of a stream. @param onStall called when the client has not taken the next text within `stallMs` */
async function* framesOf<T>(
  items: AsyncIterable<T>,
  textOf: (item: T) => string,
  stallMs: number,
  onStall: () => void,
): AsyncGenerator<string> {
  let timer: NodeJS.Timeout | undefined
  try {
    yield streamHead
    for await (const item of items) {
      timer = setTimeout(onStall, stallMs)
      yield textOf(item)
      clearTimeout(timer)
    }
  } finally {
    clearTimeout(timer)
  }
}

/** Sends items as events until they end, or until the client does not read them. Returns the body. */
export function sendEvents<T>(
  reply: FastifyReply,
  items: AsyncIterable<T>,
  textOf: (item: T) => string,
  stallMs: number,
): Readable {
  // A client that does not read its stream must not keep it open.
  const body: Readable = Readable.from(
    framesOf(items, textOf, stallMs, () => body.destroy()),
    { objectMode: false },
  )
  // The header keeps proxies from buffering the events.
  sendStream(reply.header('x-accel-buffering', 'no'), 'text/event-stream; charset=utf-8', body)
  return body
}

/** The last event that the client received; null for a new client. */
export const lastEventIdOf = ({ headers }: FastifyRequest): string | null => {
  const last = headers['last-event-id']
  return typeof last === 'string' && last !== '' ? last : null
}

export function frameOf(item: StreamItem): string {
  // A comment ends with its line: after an empty line, some clients report an event without data.
  if (item.kind === 'idle') return ':\n'
  // The client stores an ID without data, and reports no event.
  if (item.kind === 'position') return `id: ${item.id}\n\n`
  // The client keeps the last ID when an event has none.
  if (item.kind === 'gap')
    return `event: gap\ndata: ${JSON.stringify({ object: 'gap', type: 'gap', last_event_id: item.lastEventId })}\n\n`
  const { event } = item
  return `id: ${event.id}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`
}

/** Whether a client prefers a stream to a list. */
export const wantsStream = (accept: string | undefined): boolean =>
  (accept ?? '').split(',').some((range) => /^\s*text\/event-stream\s*(;|$)/i.test(range)) &&
  !/application\/json/i.test(accept ?? '')
