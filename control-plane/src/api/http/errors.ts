/** Converts every error to an `ApiError`, and every `ApiError` to the error envelope. */
import { ApiError, errorEnvelope, type ErrorEnvelope } from '@phonerack/shared'
import { isAway } from '../../base/db/away.js'
import { CallFailure } from '../../links/host-calls/calls.js'
import { isBusy, tooBusy, tooBusyToTell } from '../../base/db/busy.js'
import { isCommitUnknown } from '../../base/db/database.js'
import { validationFailed } from '../../base/validation/validation-error.js'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'

/** Seconds of `Retry-After` for an error that sets none. */
const defaultRetryAfter = 30

/** A phone that failed while the request waited for it. Never retryable. */
export class PhoneFailure extends ApiError {}

const isRead = (method: string): boolean => method === 'GET' || method === 'HEAD'

/** Errors that Fastify itself raises before or around our checks. */
function fromFramework(error: FastifyError): ApiError | null {
  if (typeof error.code !== 'string' || !error.code.startsWith('FST_ERR_')) return null
  switch (error.code) {
    case 'FST_ERR_BAD_URL':
      return validationFailed('url', [{ path: [], message: 'the URL path is not percent-encoded correctly' }])
    case 'FST_ERR_MAX_PARAM_LENGTH':
      return new ApiError('not_found')
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new ApiError('payload_too_large')
    default:
      return error.statusCode !== undefined && error.statusCode >= 400 && error.statusCode < 500
        ? validationFailed('headers', [{ path: [], message: 'is not valid HTTP' }])
        : null
  }
}

/**
 * Converts our errors, errors of the framework, and errors of an overloaded database. Any other error is a
 * bug or an unavailable dependency: it is logged and becomes `internal_error`.
 */
export function toApiError(error: unknown, request: FastifyRequest): ApiError {
  // The wait for a turn or for the key's row ended, so nothing began.
  if (error instanceof ApiError)
    return error.code === 'service_unavailable' && isKeyed(request) ? tooBusy(error, sameKey) : error
  const known = error instanceof Error ? fromFramework(error as FastifyError) : null
  if (known) return known
  const unavailable = withoutDatabase(error, request)
  if (unavailable) {
    request.log.warn(
      { err: error, request_id: request.id, method: request.method, route: request.routeOptions.url },
      'Postgres was not available for a request',
    )
    return unavailable
  }
  request.log.error(
    { err: error, request_id: request.id, method: request.method, route: request.routeOptions.url },
    'request failed',
  )
  return new ApiError('internal_error', { cause: error })
}

const sameKey = 'Wait 2 seconds, then send the request again with the same Idempotency-Key.'

/** Whether a repeat of the request has no further effect. */
const isKeyed = ({ headers, routeOptions }: FastifyRequest): boolean =>
  routeOptions.config.isIdempotent === true && headers['idempotency-key'] !== undefined

/**
 * Returns the answer while Postgres is overloaded or unavailable; null for any other error, and for a request whose
 * change may have been committed.
 */
function withoutDatabase(error: unknown, request: FastifyRequest): ApiError | null {
  const { method, routeOptions } = request
  const away = isAway(error)
  if (routeOptions.config.tellsThatNothingRan || !(away || isBusy(error))) return null
  const isKnown = isRead(method) || nothingBegan(error, request)
  if (away && !isKnown) return null
  if (isKeyed(request)) return tooBusy(error, sameKey)
  return isKnown ? tooBusy(error) : tooBusyToTell(error)
}

/** Each operator write is one transaction. A tenant's request records its first effect. */
function nothingBegan(error: unknown, { caller, routeOptions }: FastifyRequest): boolean {
  if (routeOptions.config.isAudited) return !isCommitUnknown(error)
  return caller?.effects?.mayHaveBegun === false
}

/** The envelope for a response to `method`, on which some codes' `retryable` depends. */
function envelopeFor(error: ApiError, requestId: string, method: string, phoneId: string): ErrorEnvelope {
  const envelope = errorEnvelope(error, requestId)
  // A host agent does not know the ID that the client uses for the phone.
  if (envelope.error.next !== null) envelope.error.next = envelope.error.next.replaceAll('{id}', phoneId)
  if (error instanceof PhoneFailure) envelope.error.retryable = false
  else if (error.code === 'internal_error' || error.code === 'provider_timeout')
    envelope.error.retryable = isRead(method)
  const seconds = retryAfter(error)
  if (seconds !== undefined && error.code === 'rate_limited')
    envelope.error.details = { ...envelope.error.details, retry_after_seconds: seconds }
  return envelope
}

/** The refusal of a host agent carries only `details`, which contain the wait. */
function retryAfter(error: ApiError): number | undefined {
  if (error instanceof PhoneFailure) return undefined
  const seconds = error.retryAfterSeconds ?? error.details['retry_after_seconds']
  if (typeof seconds === 'number') return Math.max(1, Math.ceil(seconds))
  return error.code === 'rate_limited' || error.code === 'capacity_unavailable'
    ? defaultRetryAfter
    : undefined
}

/** Returns status, headers and body of an error response. Used by Fastify replies and by bare sockets. */
export function errorAnswer(
  error: ApiError,
  requestId: string,
  method: string,
  phoneId = '{id}',
): { status: number; headers: Record<string, string>; body: string } {
  const seconds = retryAfter(error)
  return {
    status: error.status,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
      'x-request-id': requestId,
      ...(seconds === undefined ? {} : { 'retry-after': String(seconds) }),
      ...(error.status === 401 ? { 'www-authenticate': 'Bearer' } : {}),
    },
    body: JSON.stringify(envelopeFor(error, requestId, method, phoneId)),
  }
}

/** True when the outcome of a batch is unknown because its host, or the network to the host, failed. */
const isHostLost = ({ code, cause }: ApiError): boolean =>
  code === 'internal_error' && cause instanceof CallFailure && cause.answer === null && !cause.isHostFault

/** Fastify's error handler, also for operator and host routes. */
export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const apiError = toApiError(error, request)
  request.errorCode = apiError.code
  request.isHostLost = isHostLost(apiError)
  if (request.isHostLost)
    request.log.warn(
      {
        err: apiError.cause,
        request_id: request.id,
        method: request.method,
        route: request.routeOptions.url,
      },
      'lost the host of a phone during a request',
    )
  const { id } = (request.params ?? {}) as { id?: string }
  const answer = errorAnswer(apiError, request.id, request.method, id)
  reply.code(answer.status).headers(answer.headers).serializer(String).send(answer.body)
}
