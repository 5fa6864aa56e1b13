/**
 * Sends requests with the key and a deadline, repeats requests that are safe to repeat, and creates errors.
 * The generated client uses it as `fetch`.
 */
import { setTimeout } from 'node:timers'
import {
  ApiError,
  ConnectionError,
  errorOf,
  isJsonObject,
  PhonerackError,
  unexpectedAnswer,
  unknownOutcome,
  type Write,
} from './errors.js'
import { fetchFailureOf, isUnsent } from './fetch-failure.js'
import { pause, reasonOf } from './pause.js'

export interface CallOptions {
  /** Aborts the call. Its reason is thrown. */
  signal?: AbortSignal | undefined
  /** Milliseconds for the call with all its repeats and waits. Default: 130,000; batches of actions: 310,000. */
  deadline?: number | undefined
  /** The same as `deadline`, except for methods that wait for an element: there it limits the wait for the element. */
  timeout?: number | undefined
}

/** A call is about to be repeated. */
export interface Retry {
  /** The failure of the attempt before. */
  error: PhonerackError
  /** Milliseconds until the next attempt. */
  waitMs: number
  /** Such as `POST`. */
  method: string
  path: string
}

export interface TransportOptions {
  /** Null: the requests need none. */
  apiKey: string | null
  baseUrl: URL
  /** Sent with every request. */
  headers?: Readonly<Record<string, string>>
  /** Repeats of one call. */
  maxRetries: number
  fetch: typeof globalThis.fetch
  /** Called before each repeat. */
  onRetry?: ((retry: Retry) => void) | undefined
  /** For tests. */
  sleep?: (ms: number, signal: AbortSignal) => Promise<void>
  random?: () => number
}

/** Milliseconds: the first pause before a repeat, which doubles each time, and the longest pause. */
const pauses = { first: 500, most: 8000 }
/** The longest `Retry-After` in milliseconds for which the SDK waits. For a longer time, it throws the error. */
const longestRetryAfter = 60_000

/** The body of an answer: a JSON object of the API, or any bytes. */
export type Expected = 'json' | 'bytes'

/** The deadline of the call that sends a request: the generated client passes it on as the request's signal. */
export interface Transport {
  /** Repeats of one call. */
  readonly maxRetries: number
  /** @throws PhonerackError also for a body that is not as expected. An answer with status 204 has none. */
  /** @param capacityMs milliseconds to wait for a free phone; 0: not at all */
  send(request: Request, expected?: Expected, capacityMs?: number): Promise<Response>
  /** Sends a read once, and returns its answer with the body still to be read. @throws PhonerackError */
  open(request: Request): Promise<Response>
}

/**
 * A transport for one installation.
 *
 * Repeated: reads, and requests with an `Idempotency-Key`, after a failed connection, 429, 502 to 504 and retryable errors;
 * other requests only after 429 and 503 with `Retry-After`, whose answer says that nothing was done. `capacity_unavailable` is
 * repeated only for as long as the caller wants to wait for a phone.
 */
export function createTransport(options: TransportOptions): Transport {
  const { apiKey, baseUrl, maxRetries, headers = {}, sleep = pause, random = Math.random } = options
  const authorise = (request: Request): void => {
    const url = new URL(request.url)
    // Other servers must not get the key.
    if (url.origin !== baseUrl.origin) throw new TypeError(`${url.origin} is not ${baseUrl.origin}`)
    for (const [name, value] of Object.entries(headers)) request.headers.set(name, value)
    if (apiKey !== null) request.headers.set('authorization', `Bearer ${apiKey}`)
  }
  return {
    maxRetries,
    async open(request) {
      authorise(request)
      const { signal } = request
      try {
        const response = await options.fetch(request, { redirect: 'manual', signal })
        if (response.ok) return response
        throw errorOf(response.status, await response.text(), null, response.headers.get('x-request-id'))
      } catch (error) {
        if (error instanceof PhonerackError) throw error
        if (signal.aborted) throw reasonOf(signal, true)
        throw notConnected(request, null, error)
      }
    },
    async send(request, expected = 'bytes', capacityMs = 0) {
      authorise(request)
      const key = request.headers.get('idempotency-key')
      const write = request.method === 'GET' || request.method === 'HEAD' ? null : { key }
      const isSafe = write === null || key !== null
      // Whether an attempt may have been carried out, even if the last attempt was never sent.
      let isUnknown = false
      let capacityLeftMs = capacityMs
      try {
        for (let attempt = 0; ;) {
          const outcome = await attemptOnce(options.fetch, request, write, expected)
          if ('response' in outcome) return outcome.response
          isUnknown ||= write !== null && mayBeDone(outcome)
          const isFull = outcome.error.code === 'capacity_unavailable'
          const waitMs = isFull
            ? capacityPause(outcome, capacityLeftMs)
            : attempt >= maxRetries
              ? null
              : waitFor(outcome, isSafe, attempt, random)
          if (waitMs === null) throw outcome.error
          if (isFull) capacityLeftMs -= waitMs
          else attempt += 1
          const { pathname: path } = new URL(request.url)
          options.onRetry?.({ error: outcome.error, waitMs, method: request.method, path })
          await sleep(waitMs, request.signal).catch((error: unknown) => {
            // At the deadline, the last answer of the API explains more than a timeout error.
            throw error instanceof ConnectionError ? outcome.error : error
          })
        }
      } catch (error) {
        throw isUnknown || isUnknownOutcome(error) ? afterUnknown(error, key) : error
      }
    },
  }
}

interface Failure {
  error: PhonerackError
  status: number | null
  /** Null without the header. */
  retryAfterMs: number | null
}
type Outcome = { response: Response } | Failure

async function attemptOnce(
  fetch: typeof globalThis.fetch,
  request: Request,
  write: Write,
  expected: Expected,
): Promise<Outcome> {
  const { signal } = request
  const isAborted = (): boolean => signal.aborted
  // Nothing is sent.
  if (isAborted()) throw reasonOf(signal, true)
  let response: Response
  let body: ArrayBuffer
  try {
    // A redirect would send the key to another server. Node.js loses the signal of a clone when it collects garbage:
    // https://github.com/nodejs/undici/issues/4068
    response = await fetch(request.clone(), { redirect: 'manual', signal })
    // The body is read here, so that a request with a broken answer is repeated too.
    body = await response.arrayBuffer()
  } catch (error) {
    if (isAborted()) throw reasonOf(signal, write === null)
    return { error: notConnected(request, write, error), status: null, retryAfterMs: null }
  }
  // `Response` refuses a body for these statuses, even an empty body.
  const content = [204, 205].includes(response.status) ? null : body
  const failed = (error: PhonerackError): Failure => ({
    error,
    status: response.status,
    retryAfterMs: retryAfterOf(response.headers.get('retry-after')),
  })
  const requestId = response.headers.get('x-request-id')
  if (!response.ok) return failed(errorOf(response.status, new TextDecoder().decode(body), write, requestId))
  if (expected === 'json' && content !== null && !isJsonObject(new TextDecoder().decode(content)))
    return failed(unexpectedAnswer(response.status, 'a body that is not a JSON object', { write, requestId }))
  return { response: new Response(content, { status: response.status, headers: response.headers }) }
}

function notConnected(request: Request, write: Write, error: unknown): ConnectionError {
  const message = `No connection to ${new URL(request.url).origin}: ${fetchFailureOf(error).reason}.`
  return new ConnectionError('connection_failed', message, write !== null && !isUnsent(error), error)
}

/** Whether a write may have been carried out. With `Retry-After`, 429 and 503 say that it was not. */
const mayBeDone = ({ error, status, retryAfterMs }: Failure): boolean =>
  status === null
    ? isUnknownOutcome(error)
    : status < 300 || (status >= 500 && !(status === 503 && retryAfterMs !== null))

const isUnknownOutcome = (error: unknown): boolean =>
  error instanceof PhonerackError && error.isOutcomeUnknown

/**
 * The error of a write of which an attempt may have been carried out. The caller uses
 * `details.idempotency_key` for another attempt.
 */
function afterUnknown(error: unknown, key: string | null): unknown {
  if (!(error instanceof PhonerackError)) return error
  const details = key === null ? error.details : { ...error.details, idempotency_key: key }
  const { code, type, message, next } = error.toJSON()
  // A refusal by a proxy does not show whether the earlier attempt was carried out.
  if (code === 'unexpected_answer' && !error.isOutcomeUnknown)
    return new ApiError(
      {
        code,
        type,
        message,
        retryable: false,
        details,
        next: next === null ? unknownOutcome(key) : `${unknownOutcome(key)} ${next}`,
      },
      { status: error.status, requestId: error.requestId, isOutcomeUnknown: true, cause: error.cause },
    )
  // An error of the API keeps its code, which names the failure.
  if (!(error instanceof ConnectionError)) return Object.assign(error, { details })
  return new ConnectionError(code, message, true, error.cause, { next: unknownOutcome(key), details })
}

/** Milliseconds until a phone may be free; null: the caller does not wait that long, or the failure is final. */
function capacityPause({ error, retryAfterMs }: Failure, leftMs: number): number | null {
  const waitMs = retryAfterMs ?? pauses.most
  return error.details['phone'] !== undefined || waitMs > leftMs ? null : waitMs
}

/** Milliseconds until the next attempt; null: no repeat. */
function waitFor(
  { error, status, retryAfterMs }: Failure,
  isSafe: boolean,
  attempt: number,
  random: () => number,
): number | null {
  const isRefused = (status === 429 || status === 503) && retryAfterMs !== null
  const isTemporary = status === null || status === 429 || (status >= 502 && status <= 504) || error.retryable
  // A repeat of a failed create returns the same failure.
  if (error.details['phone'] !== undefined && !error.retryable) return null
  if (isSafe ? !isTemporary : !isRefused) return null
  if (retryAfterMs !== null)
    return retryAfterMs > longestRetryAfter ? null : retryAfterMs * (1 + random() * 0.1)
  return Math.min(pauses.most, pauses.first * 2 ** attempt) * (0.5 + random() * 0.5)
}

function retryAfterOf(header: string | null): number | null {
  return header !== null && /^\d{1,6}$/.test(header) ? Number(header) * 1000 : null
}

/** Milliseconds; a timer with a longer time ends immediately. */
const longestTime = 2 ** 31 - 1

/** The signal of a call: the caller's, and its time. @throws TypeError for an invalid time */
export function signalOf({ signal, deadline, timeout }: CallOptions, defaultMs: number): AbortSignal {
  const given = [deadline, timeout].filter((ms) => ms !== undefined)
  const wrong = given.find((ms) => !(ms >= 0))
  if (wrong !== undefined) throw new TypeError(`The time of a call must be at least 0 ms, and is ${wrong}.`)
  const ms = Math.min(longestTime, ...(given.length > 0 ? given : [defaultMs]))
  const own = timeoutOf(Math.ceil(ms))
  if (signal === undefined) return own
  // Without a listener, Node.js collects a timeout inside `AbortSignal.any`: https://github.com/nodejs/node/pull/57867
  own.addEventListener('abort', () => undefined, { once: true })
  return AbortSignal.any([signal, own])
}

/** `AbortSignal.timeout`, which keeps a program on Deno running until its end. It takes only integers. */
function timeoutOf(ms: number): AbortSignal {
  if (!('Deno' in globalThis)) return AbortSignal.timeout(ms)
  const controller = new AbortController()
  const isOver = (): void => controller.abort(new DOMException('The time is over.', 'TimeoutError'))
  setTimeout(isOver, ms).unref()
  return controller.signal
}
