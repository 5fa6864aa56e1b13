/** Follows the events of a project by consecutive streams. Each stream continues after the last event of the stream before. */
import type { Connection } from './connection.js'
import { ConnectionError, isJsonObject, parsed, PhonerackError, unexpectedAnswer } from './errors.js'
import { fetchFailureOf } from './fetch-failure.js'
import type { Event, ListEventsData } from './generated/types.gen.js'
import { pause, reasonOf } from './pause.js'
import { FrameReader, type Frame } from './sse.js'
import type { CallOptions, Transport } from './transport.js'

export interface EventsOptions extends Pick<CallOptions, 'signal'> {
  /** Only events of this type, such as `phone.ready`. */
  type?: string
  /** Only events of the phone with this ID. */
  phone?: string
  /** The ID of the last event that was processed, from an earlier run. Default: only new events. */
  lastEventId?: string
  /**
   * Called before the SDK connects again, with the error that ended the connection; null: the server ended the stream.
   * Before the first connection succeeds, the SDK throws the error after as many repeats as for other calls.
   */
  onRetry?: (error: PhonerackError | null) => void
}

export interface PastEventsOptions extends CallOptions {
  /** Only events of this type. */
  type?: NonNullable<ListEventsData['query']>['type']
  /** Only events of the phone with this ID. */
  phone?: string
}

/** Events after `last_event_id` have expired. The events that are still kept follow. */
export interface EventGap {
  object: 'gap'
  type: 'gap'
  last_event_id: string
}

/** Milliseconds without a byte after which the connection counts as lost. The server sends a comment every 15 s. */
const silenceMs = 45_000
/** Milliseconds: the first pause before the next connection, which doubles each time, and the longest pause. */
const pauses = { first: 500, most: 15_000 }

/** Milliseconds after which a connection counts as successful, even without an event. */
const longLifeMs = 30_000

/** @throws TypeError for a `lastEventId` that no header can carry */
export async function* follow(
  connection: Connection,
  { type, phone, lastEventId, signal, onRetry }: EventsOptions,
): AsyncGenerator<Event | EventGap, void, undefined> {
  const url = new URL('/v1/events', connection.baseUrl)
  if (type !== undefined) url.searchParams.set('type', type)
  if (phone !== undefined) url.searchParams.set('phone', phone)
  const headers = new Headers({ accept: 'text/event-stream' })
  if (lastEventId !== undefined) headers.set('last-event-id', checkedId(lastEventId))
  const leaving = new AbortController()
  const all = signal === undefined ? leaving.signal : AbortSignal.any([signal, leaving.signal])
  const { transport } = connection
  let failures = 0
  let hasOpened = false
  try {
    for (;;) {
      let openedAt = Infinity
      let broken: PhonerackError | null = null
      try {
        for await (const frame of framesOf(transport, { url, headers }, all)) {
          if (frame === 'opened') {
            hasOpened = true
            openedAt = performance.now()
            continue
          }
          if (frame.lastId !== null) headers.set('last-event-id', frame.lastId)
          if (frame.data === null) continue
          if (!isJsonObject(frame.data)) throw unexpectedAnswer(200, 'an event that is not a JSON object')
          failures = 0
          yield parsed(frame.data) as Event | EventGap
        }
      } catch (error) {
        if (all.aborted) throw reasonOf(all, true)
        if (!isTemporary(error)) throw error
        if (!hasOpened && failures >= transport.maxRetries) throw error
        broken = error
      }
      if (all.aborted) throw reasonOf(all, true)
      if (performance.now() - openedAt >= longLifeMs) failures = 0
      onRetry?.(broken)
      await pause(Math.min(pauses.most, pauses.first * 2 ** failures) * (0.5 + Math.random() * 0.5), all)
      failures += 1
    }
  } finally {
    leaving.abort()
  }
}

/** For some characters, `Headers` throws an error that does not name the ID, so the SDK checks the ID first. */
function checkedId(id: string): string {
  if (/[^\x21-\x7e]/.test(id)) throw new TypeError(`${JSON.stringify(id)} is not the ID of an event.`)
  return id
}

/** One stream, until it ends or breaks. @throws PhonerackError */
async function* framesOf(
  transport: Transport,
  { url, headers }: { url: URL; headers: Headers },
  signal: AbortSignal,
): AsyncGenerator<Frame | 'opened', void, undefined> {
  const silent = new AbortController()
  const request = new Request(url, { headers, signal: AbortSignal.any([signal, silent.signal]) })
  let timer: NodeJS.Timeout | undefined
  const listen = (): void => {
    clearTimeout(timer)
    timer = setTimeout(() => silent.abort(silence()), silenceMs)
  }
  try {
    listen()
    const response = await transport.open(request)
    if (!response.headers.get('content-type')?.startsWith('text/event-stream'))
      throw unexpectedAnswer(response.status, 'a body that is not a stream of events', {
        requestId: response.headers.get('x-request-id'),
      })
    yield 'opened'
    const reader = new FrameReader()
    const decoder = new TextDecoder()
    for await (const chunk of chunksOf(response, [signal, silent.signal])) {
      listen()
      for (const frame of reader.read(decoder.decode(chunk, { stream: true }))) {
        // Time in which the caller processes an event does not count as silence.
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

const silence = (): ConnectionError =>
  new ConnectionError('timeout', `The stream of events was silent for ${silenceMs / 1000} s.`, false)

/**
 * Not every platform can iterate over a body. @param signals end it: Node.js loses the signal of a request whose response is
 * still read when it collects garbage
 */
async function* chunksOf(
  { body }: Response,
  signals: readonly AbortSignal[],
): AsyncGenerator<Uint8Array, void, undefined> {
  const reader = body?.getReader()
  // Closes the connection. A read that waits ends without a chunk.
  const stop = (): void => void reader?.cancel().catch(() => undefined)
  for (const signal of signals) signal.addEventListener('abort', stop, { once: true })
  try {
    for (;;) {
      const part = await reader?.read().catch((error: unknown) => {
        const message = `The stream of events broke: ${fetchFailureOf(error).reason}.`
        throw new ConnectionError('connection_failed', message, false, error)
      })
      for (const signal of signals) signal.throwIfAborted()
      if (part?.value === undefined) return
      yield part.value
    }
  } finally {
    for (const signal of signals) signal.removeEventListener('abort', stop)
    stop()
  }
}

/** Failed connections and temporary refusals. Other errors are errors of the program. */
const isTemporary = (error: unknown): error is PhonerackError =>
  error instanceof PhonerackError &&
  (error.status === null || error.status === 429 || error.status >= 500 || error.retryable)
