/** Writes streams of events in the format of server-sent events (WHATWG HTML, section 9.2). */
import { type StreamItem } from '../../../events/events/types.js'

/** Milliseconds after which a client reconnects when its stream has ended. */
const retryMs = 1000

/** The first bytes of a stream. */
export const streamHead = `retry: ${retryMs}\n\n`

/** Yields the text of a stream. @param onStall called when the client has not taken the next text within `stallMs` */
export async function* framesOf(
  items: AsyncIterable<StreamItem>,
  stallMs: number,
  onStall: () => void,
): AsyncGenerator<string> {
  let timer: NodeJS.Timeout | undefined
  try {
    yield streamHead
    for await (const item of items) {
      timer = setTimeout(onStall, stallMs)
      yield frameOf(item)
      clearTimeout(timer)
    }
  } finally {
    clearTimeout(timer)
  }
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
