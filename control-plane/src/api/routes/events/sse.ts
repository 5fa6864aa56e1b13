/** Writes streams of events in the format of server-sent events (WHATWG HTML, section 9.2). */
import { type StreamItem } from '../../../events/events/types.js'

/** Milliseconds after which a client of a stream that ended connects again. */
const retryMs = 1000

/** The first bytes of a stream. */
export const streamHead = `retry: ${retryMs}\n\n`

/** The text of a stream. @param onStall called when the next text has not been taken within `stallMs` */
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
  // Without data, the ID is stored and no event is reported.
  if (item.kind === 'position') return `id: ${item.id}\n\n`
  // Without an ID, the client keeps the last one.
  if (item.kind === 'gap')
    return `event: gap\ndata: ${JSON.stringify({ object: 'gap', type: 'gap', last_event_id: item.lastEventId })}\n\n`
  const { event } = item
  return `id: ${event.id}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`
}

/** Whether a client prefers a stream to a list. */
export const wantsStream = (accept: string | undefined): boolean =>
  (accept ?? '').split(',').some((range) => /^\s*text\/event-stream\s*(;|$)/i.test(range)) &&
  !/application\/json/i.test(accept ?? '')
