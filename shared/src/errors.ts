/**
 * The one table of public errors: every code, its HTTP status, its family and whether the same request may
 * succeed later. Source of the envelope, OpenAPI, docs and the agent's answers.
 */

type ErrorType =
  | 'invalid_request_error'
  | 'authentication_error'
  | 'billing_error'
  | 'permission_error'
  | 'not_found_error'
  | 'conflict_error'
  | 'rate_limit_error'
  | 'provider_error'
  | 'api_error'

interface ErrorSpec {
  readonly status: number
  readonly type: ErrorType
  /** The default for the code. A single error can override it. */
  readonly retryable: boolean
  /** The message when the thrower sets no message. */
  readonly message: string
}

const spec = (status: number, type: ErrorType, message: string, retryable = false): ErrorSpec => ({
  status,
  type,
  retryable,
  message,
})

export const errorTable = {
  validation_failed: spec(400, 'invalid_request_error', 'The request is not valid.'),
  invalid_request: spec(400, 'invalid_request_error', 'The request is not supported.'),

  invalid_api_key: spec(401, 'authentication_error', 'The API key is missing, malformed or unknown.'),
  key_expired: spec(401, 'authentication_error', 'The API key has expired.'),
  key_revoked: spec(401, 'authentication_error', 'The API key was revoked.'),
  unauthorized: spec(
    401,
    'authentication_error',
    'The servers of this service could not authenticate to each other. Tell the operator of the service.',
  ),

  insufficient_credits: spec(
    402,
    'billing_error',
    'The project does not have enough credit for this session.',
  ),
  spend_limit_reached: spec(
    402,
    'billing_error',
    "The session would exceed the project's monthly spending limit.",
  ),
  project_frozen: spec(402, 'billing_error', 'The project is frozen.'),

  insufficient_scope: spec(403, 'permission_error', 'The API key lacks a scope that this request needs.'),
  phone_not_allowed: spec(
    403,
    'permission_error',
    'The API key is limited to certain phones, and this phone is not one of them.',
  ),
  browser_requests_not_allowed: spec(
    403,
    'permission_error',
    'Requests with an `Origin` header are refused. Use API keys only from servers or agents, not from a browser.',
  ),
  shell_not_allowed: spec(403, 'permission_error', 'Shell commands are not allowed on this phone.'),
  setup_denied: spec(403, 'permission_error', 'The setup was denied.'),

  not_found: spec(404, 'not_found_error', 'There is no endpoint at this path.'),
  phone_not_found: spec(404, 'not_found_error', 'There is no such phone in this project.'),
  file_not_found: spec(404, 'not_found_error', 'There is no such file on the phone.'),
  app_not_found: spec(404, 'not_found_error', 'The app is not installed on the phone.'),
  upload_not_found: spec(404, 'not_found_error', 'There is no such upload in this project.'),
  recording_not_found: spec(404, 'not_found_error', 'There is no such recording for this phone.'),
  handoff_not_found: spec(404, 'not_found_error', 'There is no such hand-over for this phone.'),
  webhook_not_found: spec(404, 'not_found_error', 'There is no such webhook in this project.'),
  event_not_found: spec(404, 'not_found_error', 'The event does not exist, or has expired.'),
  notification_not_found: spec(
    404,
    'not_found_error',
    'The phone does not show a notification with this ID.',
  ),
  step_not_found: spec(404, 'not_found_error', 'This phone has no step with this ID.'),

  method_not_allowed: spec(405, 'invalid_request_error', 'This path does not support the HTTP method.'),

  phone_not_running: spec(409, 'conflict_error', 'The phone is not running.'),
  phone_starting: spec(409, 'conflict_error', 'The phone is still starting.', true),
  phone_parking: spec(409, 'conflict_error', 'The phone is parking.', true),
  phone_deleted: spec(
    409,
    'conflict_error',
    'The phone was deleted and cannot be restored. Create a new phone.',
  ),
  phone_failed: spec(
    409,
    'conflict_error',
    'The phone has failed and cannot be used again. Create a new phone.',
  ),
  idempotency_conflict: spec(
    409,
    'conflict_error',
    'The `Idempotency-Key` was already used with a different body.',
  ),
  install_in_progress: spec(409, 'conflict_error', 'Another install is running on the phone.', true),
  version_downgrade: spec(409, 'conflict_error', 'A newer version of the app is installed on the phone.'),
  upload_not_ready: spec(409, 'conflict_error', 'The upload is not ready.'),
  storage_limit_reached: spec(
    409,
    'conflict_error',
    'The project has reached its storage limit for uploads.',
  ),
  clipboard_unavailable: spec(409, 'conflict_error', 'The clipboard cannot be read on this phone.'),
  recording_in_progress: spec(409, 'conflict_error', 'The phone is already recording.'),
  recording_not_ready: spec(409, 'conflict_error', 'The recording is not ready yet.', true),
  recording_limit_reached: spec(409, 'conflict_error', 'The project has reached its recording limit.'),
  duplicate_upload: spec(409, 'conflict_error', 'The project already has this file as a ready upload.'),
  setup_expired: spec(
    409,
    'conflict_error',
    'The setup expired before it was confirmed and its key collected.',
  ),
  setup_used: spec(409, 'conflict_error', 'The API key of this setup was already delivered.'),
  key_limit: spec(409, 'conflict_error', 'The project has reached its limit of active API keys.'),
  running_limit_reached: spec(
    409,
    'conflict_error',
    'The maximum number of running phones is reached. It counts all projects of the same owner.',
  ),
  phone_limit_reached: spec(409, 'conflict_error', 'The project has reached its phone limit.'),
  webhook_limit_reached: spec(409, 'conflict_error', 'The project has reached its limit of webhooks.'),
  phone_controlled: spec(409, 'conflict_error', 'A person controls the phone, so nothing was done.', true),
  handoff_in_progress: spec(409, 'conflict_error', 'The phone is already handed over to a person.'),
  handoff_required: spec(
    409,
    'conflict_error',
    'The profile of this request leaves this step to a person, so it was not done.',
  ),

  payload_too_large: spec(413, 'invalid_request_error', 'The request body is too large.'),

  // The specification does not list this code. Without it, the client of a complete download would get the
  // file again.
  range_not_satisfiable: spec(416, 'invalid_request_error', 'The requested range is outside the file.'),

  target_not_found: spec(422, 'invalid_request_error', 'No element on the screen matches the target.'),
  ambiguous_target: spec(422, 'invalid_request_error', 'More than one element matches the target.'),
  stale_snapshot: spec(422, 'invalid_request_error', 'The snapshot no longer matches the screen.'),
  no_focused_field: spec(422, 'invalid_request_error', 'No text field has the focus.'),
  wait_timeout: spec(422, 'invalid_request_error', 'The condition was not met before the timeout.', true),
  phone_screen_off: spec(422, 'invalid_request_error', "The phone's screen is off, so nothing was sent."),
  app_not_available: spec(422, 'invalid_request_error', 'The package is not in the app library.'),
  invalid_apk: spec(422, 'invalid_request_error', 'The file is not an installable APK.'),
  install_failed: spec(422, 'invalid_request_error', 'The phone refused the install.'),
  feature_unavailable: spec(422, 'invalid_request_error', 'The phone does not offer this feature.'),

  rate_limited: spec(429, 'rate_limit_error', 'Too many requests.', true),

  internal_error: spec(500, 'api_error', 'An internal error occurred.'),

  provider_error: spec(502, 'provider_error', 'The phone failed to carry out the request.'),
  action_outcome_unknown: spec(
    502,
    'provider_error',
    'The outcome of the write is unknown: the phone may have carried it out.',
  ),

  capacity_unavailable: spec(503, 'provider_error', 'No free phone is available.', true),
  phone_unavailable: spec(503, 'provider_error', 'The phone is unreachable, so nothing was done.', true),
  service_paused: spec(503, 'api_error', 'The service is paused for maintenance.', true),
  // The specification does not list this code; docs/decisions/0196.
  service_unavailable: spec(503, 'api_error', 'The service is too busy for this request.', true),
  storage_full: spec(503, 'api_error', 'The app storage is full.', true),
  billing_not_configured: spec(503, 'billing_error', 'Payments are not configured on this service.'),

  provider_timeout: spec(504, 'provider_error', 'The phone did not respond before the timeout.'),

  // The code appears only inside an upload's `error`, never as a response's status.
  upload_failed: spec(500, 'api_error', 'The file could not be stored.'),
  platform_not_configured: spec(503, 'api_error', 'Storage for apps is not configured on this service.'),
} as const satisfies Record<string, ErrorSpec>

export type ErrorCode = keyof typeof errorTable

export const errorCodes = Object.keys(errorTable) as ErrorCode[]

export const isErrorCode = (value: string): value is ErrorCode => Object.hasOwn(errorTable, value)

export type ErrorDetails = Record<string, unknown>

export interface ApiErrorOptions {
  message?: string | undefined
  /** The next request, such as `POST /v1/phones/ph_…/start`, or a short sentence. */
  next?: string | null | undefined
  details?: ErrorDetails | undefined
  /** Replaces the table's default. */
  retryable?: boolean | undefined
  /** Seconds; sent as `Retry-After`. */
  retryAfterSeconds?: number | undefined
  cause?: unknown
}

/** The only error that reaches a client as anything other than `internal_error`. */
export class ApiError extends Error {
  readonly code: ErrorCode
  readonly retryable: boolean
  readonly next: string | null
  readonly details: ErrorDetails
  readonly retryAfterSeconds: number | undefined

  constructor(code: ErrorCode, options: ApiErrorOptions = {}) {
    super(
      options.message ?? errorTable[code].message,
      options.cause === undefined ? undefined : { cause: options.cause },
    )
    this.name = 'ApiError'
    this.code = code
    this.retryable = options.retryable ?? errorTable[code].retryable
    this.next = options.next ?? null
    this.details = options.details ?? {}
    this.retryAfterSeconds = options.retryAfterSeconds
  }

  get status(): number {
    return errorTable[this.code].status
  }

  /** The form of an error in gRPC and in the entry of a failed action. */
  toPlain(): PlainError {
    return {
      code: this.code,
      message: this.message,
      retryable: this.retryable,
      next: this.next,
      details: this.details,
    }
  }
}

export interface PlainError {
  code: ErrorCode
  message: string
  retryable: boolean
  next: string | null
  details: ErrorDetails
}

export interface ErrorEnvelope {
  error: PlainError & { type: ErrorType; request_id: string }
}

/** The body of every error answer. */
export const errorEnvelope = (error: ApiError, requestId: string): ErrorEnvelope => ({
  error: { type: errorTable[error.code].type, ...error.toPlain(), request_id: requestId },
})
