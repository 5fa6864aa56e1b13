/**
 * One example for each error code, built like the service's responses, with the details that its
 * errors carry.
 */
import { ApiError, errorCodes, type ApiErrorOptions, type ErrorCode } from '@phonerack/shared'
import { type $ZodType } from 'zod/v4/core'
import { errorAnswer } from '../../http/errors.js'
import { validatorCompiler } from '../../http/validation.js'
import { createPhoneBody } from '../../routes/phones/create.js'
import { listPhonesQuery } from '../../routes/phones/list.js'
import { ids } from './ids.js'

const phone = { phone: ids.phone }
const createAnother = 'Create a new phone: POST /v1/phones'

/** Options that differ between the errors of a code. */
const carried: Partial<Record<ErrorCode, ApiErrorOptions>> = {
  invalid_api_key: { next: 'Send Authorization: Bearer <API key>.' },
  insufficient_credits: {
    next: 'Send `max_duration` 412 or less, or add credit: POST /v1/credits/checkout',
    details: { max_affordable_seconds: 412 },
  },
  spend_limit_reached: { details: { spend_limit_usd: '200.000000' } },
  insufficient_scope: {
    message: 'The API key lacks the scope phones:control, which this request needs.',
    next: 'Use an API key with the scope phones:control.',
    details: { required: 'phones:control' },
  },
  phone_not_allowed: { details: phone },
  setup_denied: { next: 'Start a new setup: POST /v1/setup' },
  not_found: { message: 'There is no setup with this token.', next: 'Start a new setup: POST /v1/setup' },
  phone_not_found: { details: phone },
  file_not_found: { details: { path: '/sdcard/Download/report.pdf' } },
  app_not_found: { details: { package: 'com.example.shop' } },
  upload_not_found: { next: 'GET /v1/apps/uploads', details: { upload: ids.upload } },
  phone_not_running: { next: `POST /v1/phones/${ids.phone}/start`, details: { ...phone, status: 'parked' } },
  phone_starting: {
    next: `GET /v1/phones/${ids.phone}?wait=ready`,
    details: { ...phone, status: 'starting' },
  },
  phone_parking: {
    next: `GET /v1/phones/${ids.phone}?wait=parked`,
    details: { ...phone, status: 'parking' },
  },
  phone_deleted: { next: createAnother, details: { ...phone, status: 'deleted' } },
  phone_controlled: {
    next: `GET /v1/phones/${ids.phone}/handoffs/${ids.handoff}?wait=done`,
    details: { ...phone, handoff: ids.handoff, expires_at: '2026-11-21T13:49:31.020Z' },
    retryAfterSeconds: 30,
  },
  handoff_in_progress: {
    next: `GET /v1/phones/${ids.phone}/handoffs/${ids.handoff}?wait=done, or withdraw it: DELETE /v1/phones/${ids.phone}/handoffs/${ids.handoff}`,
    details: { ...phone, handoff: ids.handoff, status: 'open' },
  },
  handoff_required: {
    next: `POST /v1/phones/${ids.phone}/handoffs`,
    details: { reason: 'store', package: 'com.android.vending' },
  },
  notification_not_found: {
    next: `GET /v1/phones/${ids.phone}/notifications`,
    details: { notification: ids.notification },
  },
  webhook_not_found: { next: 'GET /v1/webhooks', details: { webhook: ids.webhook } },
  event_not_found: {
    message: 'The webhook has no such delivery, or its event has expired.',
    next: `GET /v1/webhooks/${ids.webhook}/deliveries`,
    details: { webhook: ids.webhook, delivery: ids.delivery },
  },
  step_not_found: { next: `GET /v1/phones/${ids.phone}/steps`, details: { step: ids.step } },
  webhook_limit_reached: {
    next: 'Delete a webhook that you do not need (GET /v1/webhooks), then send the request again.',
    details: { limit: 10 },
  },
  handoff_not_found: { details: { ...phone, handoff: ids.handoff } },
  phone_failed: { next: createAnother, details: { ...phone, status: 'failed' } },
  idempotency_conflict: {
    next: 'Send the original body with this Idempotency-Key, or use a new key.',
    details: phone,
  },
  install_in_progress: { details: { package: 'com.example.shop' } },
  version_downgrade: {
    next: 'Use a higher version code, or install with `replace: true`.',
    details: { package: 'com.example.shop', installed_version_code: 412, version_code: 407 },
  },
  upload_not_ready: {
    next: `GET /v1/apps/uploads/${ids.upload}?wait=ready`,
    details: { upload: ids.upload, status: 'processing' },
  },
  storage_limit_reached: {
    next: 'Delete uploads that you do not need (GET /v1/apps/uploads), then send the request again.',
    details: { limit_bytes: 524_288_000, used_bytes: 524_288_000 },
  },
  recording_in_progress: {
    next: `POST /v1/phones/${ids.phone}/recordings/${ids.recording}/stop`,
    details: { recording: ids.recording },
  },
  setup_expired: { next: 'Start a new setup: POST /v1/setup' },
  setup_used: { next: 'Start a new setup: POST /v1/setup' },
  key_limit: { details: { limit: 50 } },
  running_limit_reached: {
    next: 'Park a phone that you do not need: GET /v1/phones?status=ready',
    details: { limit: 5 },
  },
  phone_limit_reached: {
    next: 'Delete a phone that you do not need: GET /v1/phones',
    details: { limit: 20 },
  },
  payload_too_large: {
    message: 'The request body is larger than 100000 bytes.',
    details: { limit_bytes: 100_000 },
  },
  app_not_available: {
    next: 'GET /v1/apps/library, or upload the APK (POST /v1/apps/uploads) and install it with "upload".',
    details: { package: 'com.example.shop' },
  },
  install_failed: {
    message: 'The app is part of the service and cannot be replaced.',
    details: { package: 'com.example.shop' },
  },
  feature_unavailable: { details: { ...phone, feature: 'reset' } },
  rate_limited: {
    message: 'The key has sent more than 600 requests this minute.',
    details: { limit: 600, retry_after_seconds: 17 },
    retryAfterSeconds: 17,
  },
  action_outcome_unknown: { next: 'Read what was changed before sending the request again.', details: phone },
  phone_unavailable: { details: phone },
}

/** The error of a route's schema validation. */
function refusalOf(schema: $ZodType, httpPart: 'body' | 'querystring', value: unknown): ApiError {
  const check = validatorCompiler({ schema, httpPart, method: 'POST', url: '' })
  const { error } = check(value) as { error?: unknown }
  if (error instanceof ApiError) return error
  throw new Error('an example of a refusal is not refused')
}

const exampleOf = (error: ApiError): { summary: string; value: unknown } => {
  const answer: unknown = JSON.parse(errorAnswer(error, ids.request, 'POST').body)
  return { summary: error.code, value: answer }
}

/** The examples by the names with which responses refer to them: a code, or `validation_failed_query`. */
export const errorExamples: Record<string, { summary: string; value: unknown }> = {
  ...Object.fromEntries(errorCodes.map((code) => [code, exampleOf(new ApiError(code, carried[code]))])),
  validation_failed: exampleOf(refusalOf(createPhoneBody, 'body', { nmae: 'checkout test' })),
  validation_failed_query: exampleOf(refusalOf(listPhonesQuery, 'querystring', { limit: '1000' })),
}
