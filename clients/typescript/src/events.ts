/** Follows the events of a project: one stream after the other, each from where the last one ended. */
import type { Connection } from './connection.js'
import { ConnectionError, parsed, PhonerackError } from './errors.js'
import type { Event } from './generated/types.gen.js'
import { pause, reasonOf } from './pause.js'
import { FrameReader } from './sse.js'
import type { CallOptions } from './transport.js'

export interface EventsOptions extends Pick<CallOptions, 'signal'> {
  /** Only events of this type, such as `phone.ready`. */
  type?: string
  /** Only events of the phone with this ID. */
  phone?: string
  /** The ID of the last event that was processed, from an earlier run. Default: only new events. */
  lastEventId?: string
}

/** Events after `last_event_id` have expired. Those that are kept follow. */
export interface EventGap {
  object: 'gap'
  type: 'gap'
  last_event_id: string
}

/** Milliseconds without a byte, after which the connection is lost: the server sends a comment every 15 s. */
const silenceMs = 45_000
/** Milliseconds: the first pause before the next connection, doubled each time, and the longest one. */
const pauses = { first: 500, most: 15_000 }

export async function* follow(
  connection: Connection,
  { type, phone, lastEventId, signal }: EventsOptions,
): AsyncGenerator<Event | EventGap, void, undefined> {
  const url = new URL('/v1/events', connection.baseUrl)
  if (type !== undefined) url.searchParams.set('type', type)
  if (phone !== undefined) url.searchParams.set('phone', phone)
  const leaving = new AbortController()
  const all = signal === undefined ? leaving.signal : AbortSignal.any([signal, leaving.signal])
  let last = lastEventId ?? null
  let failures = 0
  try {
    for (;;) {
      try {
        for await (const frame of framesOf(connection, url, last, all)) {
          failures = 0
          last = frame.lastId ?? last
          if (frame.data !== null) yield parsed(frame.data) as Event | EventGap
        }
      } catch (error) {
        if (all.aborted) throw reasonOf(all, true)
        if (!isTemporary(error)) throw error
      }
      if (all.aborted) throw reasonOf(all, true)
      await pause(Math.min(pauses.most, pauses.first * 2 ** failures) * (0.5 + Math.random() * 0.5), all)
      failures += 1
    }
  } finally {
    // The loop was left.
    leaving.abort()
  }
}

/** One stream, until it ends or breaks. */
async function* framesOf(connection: Connection, url: URL, last: string | null, signal: AbortSignal) {
  const silent = new AbortController()
  const headers = new Headers({ accept: 'text/event-stream' })
  if (last !== null) headers.set('last-event-id', last)
  const request = new Request(url, { headers, signal: AbortSignal.any([signal, silent.signal]) })
  let timer: NodeJS.Timeout | undefined
  const listen = (): void => {
    clearTimeout(timer)
    timer = setTimeout(() => silent.abort(), silenceMs)
  }
  try {
    listen()
    const response = await connection.transport.open(request)
    if (!response.headers.get('content-type')?.startsWith('text/event-stream'))
      throw new ConnectionError(
        'connection_failed',
        'The server did not answer with a stream of events.',
        false,
      )
    const reader = new FrameReader()
    const decoder = new TextDecoder()
    for await (const chunk of chunksOf(response)) {
      listen()
      for (const frame of reader.read(decoder.decode(chunk, { stream: true }))) {
        // The reader of the events may take its time.
        clearTimeout(timer)
        yield frame
        listen()
      }
    }
  } finally {
    clearTimeout(timer)
    silent.abort()
  }
}

/** Not every platform can iterate over a body. */
async function* chunksOf({ body }: Response): AsyncGenerator<Uint8Array, void, undefined> {
  const reader = body?.getReader()
  for (;;) {
    const part = await reader?.read()
    if (part?.value === undefined) return
    yield part.value
  }
}

/** Errors that a refusal of the API did not cause, and refusals that pass. */
const isTemporary = (error: unknown): boolean =>
  !(error instanceof PhonerackError) ||
  error.status === null ||
  error.status === 429 ||
  error.status >= 500 ||
  error.retryable
