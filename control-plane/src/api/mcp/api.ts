/**
 * Requests of one tool call to `/v1`, in order, within the time of the call. The tools do not depend on the transport:
 * over HTTP, `plugin.ts` sends the requests within this process; over stdio, a client of the API can send them.
 */
import { ApiError, errorEnvelope, type ErrorEnvelope } from '@phonerack/shared'
import { type BatchLimits } from '../../base/core/caller.js'
import { validationFailed } from '../../base/validation/validation-error.js'

export interface ApiRequest {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** Built with `path`. */
  path: string
  query?: Record<string, string | number | undefined>
  json?: object
  /** A raw body. */
  bytes?: Buffer
  idempotencyKey?: string | undefined
}

export interface ApiAnswer {
  status: number
  headers: Record<string, unknown>
  bytes: Buffer
}

/** Sends one request. Rejects only after an abort, or with an `ApiError` when no request was sent. */
export type Send = (request: ApiRequest, signal: AbortSignal, batch: BatchLimits) => Promise<ApiAnswer>

type ErrorBody = ErrorEnvelope['error']

/** An error of the API, as the client gets it. */
export class ApiFailure extends Error {
  constructor(readonly body: ErrorBody) {
    super(body.message)
    this.name = 'ApiFailure'
  }
}

/** Codes of a read that fails for now, while the write before it has succeeded. */
const passing: readonly string[] = ['rate_limited', 'service_unavailable', 'provider_timeout']

/**
 * Returns the answer of a read after a write, or `known` if the read fails for now. @throws ApiFailure for other errors
 */
export async function orKnown<T, U>(read: Promise<T>, known: U): Promise<T | U> {
  try {
    return await read
  } catch (error) {
    if (error instanceof ApiFailure && passing.includes(error.body.code)) return known
    throw error
  }
}

/** Milliseconds. Clients stop waiting after 60 s, and no call takes longer than 50 s. docs/decisions/0260 */
export const times = {
  /** A call is answered after this time. The rest of the 50 s is for the key check and the transport of the answer. */
  call: 49_500,
  /** No action starts after this time, which also limits the sum of the waits of a batch. */
  start: 40_000,
  /** Time in which the answer of a batch must reach the client before the call ends. */
  batchMargin: 1500,
  /** Time in which the answer of a poll must arrive. */
  pollMargin: 400,
} as const

/** The longest polls in seconds: `phone` for the state of a phone or an upload, `person` for a hand-over. */
export const polls = { phone: 45, person: 49 } as const

export interface Api {
  /** Aborts when the client closes the request. */
  signal: AbortSignal
  requestId: string
  /** Milliseconds that the call may still take. */
  remaining(): number
  /** Seconds that a poll may wait: at least 1, and by default at most `polls.phone`. */
  pollSeconds(most?: number): number
  /** @throws ApiFailure */
  bytes(request: ApiRequest): Promise<ApiAnswer>
  /** Returns the JSON of the answer. @throws ApiFailure */
  json<T>(request: ApiRequest): Promise<T>
}

/**
 * Builds a path of `/v1` from text that the client chose. A value of dots would lead to another path. @throws ApiError
 * validation_failed
 */
export function path(parts: TemplateStringsArray, ...values: string[]): string {
  for (const value of values)
    if (/^\.{0,2}$/.test(value))
      throw validationFailed('params', [
        { path: [], message: `\`${value}\` is not a valid ID or package name` },
      ])
  return String.raw({ raw: parts }, ...values.map(encodeURIComponent))
}

/** The time of a call, for error messages. */
const limit = `${times.call / 1000} seconds`

/**
 * Returns the error for a request that outlasted the call: a read has no answer, and a write has an unknown outcome.
 */
function late({ method }: ApiRequest): ApiError {
  const message = `There was no answer within ${limit}.`
  return method === 'GET'
    ? new ApiError('provider_timeout', { message, retryable: true, next: 'Call the tool again.' })
    : new ApiError('action_outcome_unknown', {
        message: `${message} The outcome is unknown.`,
        next: 'Read what the call would have changed before repeating it.',
      })
}

/** Returns the error for a request that was not sent because the time of the call had passed. */
const tooLate = (): ApiError =>
  new ApiError('provider_timeout', {
    message: `The call had already taken ${limit}, so this step was not started.`,
    next: 'Call the tool again for the remaining steps.',
  })

export function createApi(send: Send, requestId: string, signal: AbortSignal): Api {
  const startedAt = performance.now()
  const elapsed = (): number => performance.now() - startedAt
  const remaining = (): number => times.call - elapsed()
  const failed = (error: ApiError): ApiFailure => new ApiFailure(errorEnvelope(error, requestId).error)

  const bytes = async (request: ApiRequest): Promise<ApiAnswer> => {
    if (remaining() <= 0) throw failed(tooLate())
    const ended = new AbortController()
    // A write that was sent continues, so that the service records its outcome.
    const requestSignal = request.method === 'GET' ? AbortSignal.any([signal, ended.signal]) : signal
    const batch = {
      startWithinMs: Math.max(1, Math.floor(times.start - elapsed())),
      answerWithinMs: Math.max(1, Math.floor(remaining() - times.batchMargin)),
    }
    let timer: NodeJS.Timeout | undefined
    const timeout = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(late(request)), Math.max(0, remaining()))
    })
    try {
      const answer = await Promise.race([send(request, requestSignal, batch), timeout])
      if (answer.status >= 400) throw new ApiFailure(errorOf(answer))
      return answer
    } catch (error) {
      throw error instanceof ApiError ? failed(error) : error
    } finally {
      clearTimeout(timer)
      ended.abort()
    }
  }
  return {
    signal,
    requestId,
    remaining,
    bytes,
    pollSeconds: (most = polls.phone) =>
      Math.max(1, Math.min(most, Math.floor((remaining() - times.pollMargin) / 1000))),
    json: async <T>(request: ApiRequest) => JSON.parse((await bytes(request)).bytes.toString('utf8')) as T,
  }
}

/** Adds the seconds of `Retry-After` to the error, because the client of a tool does not see headers. */
function errorOf({ headers, bytes }: ApiAnswer): ErrorBody {
  const { error } = JSON.parse(bytes.toString('utf8')) as ErrorEnvelope
  const seconds = Number(headers['retry-after'])
  return seconds > 0 ? { ...error, details: { retry_after_seconds: seconds, ...error.details } } : error
}
