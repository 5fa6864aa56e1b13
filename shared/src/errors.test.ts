import { expect, test } from 'vitest'
import { ApiError, errorEnvelope, errorTable, isErrorCode } from './errors.js'

/** Copied by hand from the specification's table of codes and statuses. */
const specified: Record<number, string[]> = {
  400: ['validation_failed', 'invalid_request'],
  401: ['invalid_api_key', 'key_expired', 'key_revoked', 'unauthorized'],
  402: ['insufficient_credits', 'spend_limit_reached', 'project_frozen'],
  403: ['insufficient_scope', 'phone_not_allowed', 'browser_requests_not_allowed', 'setup_denied'],
  404: [
    'not_found',
    'phone_not_found',
    'file_not_found',
    'app_not_found',
    'upload_not_found',
    'recording_not_found',
  ],
  405: ['method_not_allowed'],
  409: [
    'phone_not_running',
    'phone_starting',
    'phone_parking',
    'phone_deleted',
    'phone_failed',
    'idempotency_conflict',
    'install_in_progress',
    'version_downgrade',
    'upload_not_ready',
    'storage_limit_reached',
    'clipboard_unavailable',
    'recording_in_progress',
    'recording_not_ready',
    'recording_limit_reached',
    'duplicate_upload',
    'setup_expired',
    'setup_used',
    'key_limit',
    'running_limit_reached',
    'phone_limit_reached',
  ],
  413: ['payload_too_large'],
  422: [
    'target_not_found',
    'ambiguous_target',
    'stale_snapshot',
    'no_focused_field',
    'wait_timeout',
    'app_not_available',
    'invalid_apk',
    'install_failed',
    'feature_unavailable',
  ],
  429: ['rate_limited'],
  500: ['internal_error'],
  502: ['provider_error', 'action_outcome_unknown'],
  503: [
    'capacity_unavailable',
    'phone_unavailable',
    'service_paused',
    'storage_full',
    'billing_not_configured',
  ],
  504: ['provider_timeout'],
}
const retryable = [
  'phone_starting',
  'phone_parking',
  'install_in_progress',
  'recording_not_ready',
  'wait_timeout',
  'phone_unavailable',
  'capacity_unavailable',
  'rate_limited',
  'storage_full',
  'service_paused',
]
/** Codes that the specification does not list. */
const added: Record<string, number> = {
  phone_screen_off: 422,
  shell_not_allowed: 403,
  handoff_not_found: 404,
  webhook_not_found: 404,
  event_not_found: 404,
  notification_not_found: 404,
  step_not_found: 404,
  webhook_limit_reached: 409,
  phone_controlled: 409,
  handoff_in_progress: 409,
  handoff_required: 409,
  range_not_satisfiable: 416,
  service_unavailable: 503,
}
const onlyInsideUploads = ['upload_failed', 'platform_not_configured']

test('the table holds the specified codes with their statuses, and no other [22.12, 22.25]', () => {
  const codes = Object.entries(specified).flatMap(([status, list]) =>
    list.map((code) => [code, Number(status)]),
  )
  const table = Object.entries(errorTable)
    .filter(([code]) => !onlyInsideUploads.includes(code))
    .map(([code, spec]) => [code, spec.status])
  expect(Object.fromEntries(table)).toEqual({ ...Object.fromEntries(codes), ...added })
})

test('exactly the codes that the specification and the decisions name are retryable [22.13]', () => {
  const found = Object.entries(errorTable).filter(([, spec]) => spec.retryable)
  expect(found.map(([code]) => code).sort()).toEqual(
    [...retryable, 'phone_controlled', 'service_unavailable'].sort(),
  )
})

test('the envelope has every field, including omitted ones', () => {
  const error = new ApiError('phone_not_found', { details: { phone: 'ph_a' } })
  expect(errorEnvelope(error, 'req_abc')).toEqual({
    error: {
      type: 'not_found_error',
      code: 'phone_not_found',
      message: 'There is no such phone in this project.',
      retryable: false,
      next: null,
      request_id: 'req_abc',
      details: { phone: 'ph_a' },
    },
  })
  expect(isErrorCode('phone_not_found')).toBe(true)
  expect(isErrorCode('toString')).toBe(false)
})
