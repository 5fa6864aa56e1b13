/** The errors of requests: one class for each family of the API, and one for requests without an answer. */

/** The fields of an error, as in the API's envelope. */
export interface ErrorFields {
  /** Such as `target_not_found`. New codes may be added. */
  code: string
  /** The family, such as `conflict_error`. */
  type: string
  message: string
  /** The next step, in words; null: the API has no advice. */
  next: string | null
  /** Whether the same request may succeed later without a change. */
  retryable: boolean
  details: Readonly<Record<string, unknown>>
}

/** Any error of the SDK except for wrong arguments (`TypeError`) and an aborted signal. */
export class PhonerackError extends Error implements ErrorFields {
  override readonly name: string = 'PhonerackError'
  readonly code: string
  readonly type: string
  readonly next: string | null
  readonly retryable: boolean
  readonly details: Readonly<Record<string, unknown>>
  /** HTTP status; null: no answer, or the error of one action. */
  readonly status: number | null
  /** The ID of the request, for the operator; null: no answer arrived. */
  readonly requestId: string | null
  /** True: the request or the action may have been carried out. Observe before you send it again. */
  readonly isOutcomeUnknown: boolean

  constructor(
    fields: ErrorFields,
    {
      status = null,
      requestId = null,
      isOutcomeUnknown = false,
      cause,
    }: {
      status?: number | null
      requestId?: string | null
      isOutcomeUnknown?: boolean
      cause?: unknown
    } = {},
  ) {
    super(fields.next === null ? fields.message : `${fields.message} ${fields.next}`, { cause })
    this.code = fields.code
    this.type = fields.type
    this.next = fields.next
    this.retryable = fields.retryable
    this.details = fields.details
    this.status = status
    this.requestId = requestId
    this.isOutcomeUnknown = isOutcomeUnknown || fields.code === 'action_outcome_unknown'
  }

  /** The fields that Node.js prints with the error. */
  protected facts(): Record<string, unknown> {
    const { code, retryable, details, status, requestId, isOutcomeUnknown } = this
    return { code, retryable, details, status, requestId, isOutcomeUnknown }
  }

  /** Node.js prints an error by this method. All fields of an action's error would show the screen three times. */
  [Symbol.for('nodejs.util.inspect.custom')](
    _depth: number,
    options: object,
    inspect?: (value: unknown, options: object) => string,
  ): string {
    const facts = inspect?.(this.facts(), options) ?? JSON.stringify(this.facts())
    return `${this.stack ?? String(this)} ${facts}`
  }

  /** The `error` of the API's envelope: here `message` is without `next`. */
  toJSON(): ErrorFields & { request_id: string | null } {
    const { type, code, retryable, next, details, requestId } = this
    const message = next === null ? this.message : this.message.slice(0, -next.length - 1)
    return { type, code, message, retryable, next, request_id: requestId, details }
  }
}

export class InvalidRequestError extends PhonerackError {
  override readonly name = 'InvalidRequestError'
}
export class AuthenticationError extends PhonerackError {
  override readonly name = 'AuthenticationError'
}
export class PermissionError extends PhonerackError {
  override readonly name = 'PermissionError'
}
export class NotFoundError extends PhonerackError {
  override readonly name = 'NotFoundError'
}
export class ConflictError extends PhonerackError {
  override readonly name = 'ConflictError'
}
export class BillingError extends PhonerackError {
  override readonly name = 'BillingError'
}
export class RateLimitError extends PhonerackError {
  override readonly name = 'RateLimitError'
}
/** The phone, or the service that holds it, failed. */
export class ProviderError extends PhonerackError {
  override readonly name = 'ProviderError'
}
/** The service itself failed. */
export class ApiError extends PhonerackError {
  override readonly name = 'ApiError'
}

/** No answer arrived: the network failed, or the deadline passed. `code` is `connection_failed` or `timeout`. */
export class ConnectionError extends PhonerackError {
  override readonly name = 'ConnectionError'

  constructor(
    code: string,
    message: string,
    isOutcomeUnknown: boolean,
    cause?: unknown,
    {
      next = isOutcomeUnknown ? unknownOutcome(null) : null,
      retryable = !isOutcomeUnknown,
      details = {},
    }: Partial<Pick<ErrorFields, 'next' | 'retryable' | 'details'>> = {},
  ) {
    super({ code, type: 'connection_error', message, next, retryable, details }, { isOutcomeUnknown, cause })
  }
}

/** Advice about a write that may have been carried out. @param key its idempotency key; null: it has none */
export const unknownOutcome = (key: string | null): string =>
  key === null
    ? 'The request may have been carried out: read the state of the phone before you send it again.'
    : `The request may have been carried out: to send it again, use the idempotency key ${key}.`

const families: ReadonlyMap<string, typeof PhonerackError> = new Map<string, typeof PhonerackError>([
  ['invalid_request_error', InvalidRequestError],
  ['authentication_error', AuthenticationError],
  ['permission_error', PermissionError],
  ['not_found_error', NotFoundError],
  ['conflict_error', ConflictError],
  ['billing_error', BillingError],
  ['rate_limit_error', RateLimitError],
  ['provider_error', ProviderError],
  ['api_error', ApiError],
])

/** Null: the request changes nothing. `key`: the idempotency key. */
export type Write = { key: string | null } | null

/**
 * The error of an answer. An answer from another server, such as a proxy, has the code
 * `unexpected_answer`.
 * @param requestId of the answer's headers, for a body without one
 */
export function errorOf(
  status: number,
  body: string,
  write: Write = null,
  requestId: string | null = null,
): PhonerackError {
  const envelope = readEnvelope(parsed(body))
  if (envelope === null)
    return unexpectedAnswer(status, 'without an error of Phonerack', { write, requestId })
  const Family = families.get(envelope.type) ?? PhonerackError
  return new Family(envelope, { status, requestId: envelope.requestId })
}

/** @param form what is unexpected, such as `without an error of Phonerack` */
export function unexpectedAnswer(
  status: number,
  form: string,
  {
    write = null,
    requestId = null,
    cause,
  }: { write?: Write; requestId?: string | null; cause?: unknown } = {},
): ApiError {
  const advice = 'Check the base URL, and proxies in between.'
  // An error of a proxy does not show whether a write was carried out.
  const isUnknown = write !== null && !(status >= 300 && status < 500)
  return new ApiError(
    {
      code: 'unexpected_answer',
      type: 'api_error',
      details: {},
      retryable: write === null && status >= 502 && status <= 504,
      message: `The server answered with status ${status} and ${form}.`,
      next: isUnknown ? `${unknownOutcome(write.key)} ${advice}` : advice,
    },
    { status, requestId, isOutcomeUnknown: isUnknown, cause },
  )
}

/** The API's error in the JSON of a body; null: the body is of another server. */
export function readEnvelope(body: unknown): (ErrorFields & { requestId: string | null }) | null {
  const error = recordOf(recordOf(body)?.['error'])
  // A proxy's error often has a code too.
  if (error === null || !['type', 'code', 'message'].every((name) => typeof error[name] === 'string'))
    return null
  return {
    ...fieldsOf(error),
    requestId: typeof error['request_id'] === 'string' ? error['request_id'] : null,
  }
}

/** Whether a body is a JSON object, as every answer of the API that is not a file. */
export const isJsonObject = (body: string): boolean => recordOf(parsed(body)) !== null

/** Null for a body that is not JSON. */
export function parsed(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return null
  }
}

/** The fields of an envelope or of a failed action, which has no `type`; fields that are missing get a default. */
export function fieldsOf(error: Readonly<Record<string, unknown>>): ErrorFields {
  const text = (name: string): string | null => (typeof error[name] === 'string' ? error[name] : null)
  return {
    code: text('code') ?? 'unknown',
    type: text('type') ?? 'invalid_request_error',
    message: text('message') ?? 'The request failed.',
    next: text('next'),
    retryable: error['retryable'] === true,
    details: recordOf(error['details']) ?? {},
  }
}

const recordOf = (value: unknown): Record<string, unknown> | null =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : null
