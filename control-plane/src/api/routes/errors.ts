/** The errors of a route as OpenAPI responses: one per status, with its codes. */
import { errorTable, isErrorCode, type ErrorCode } from '@phonerack/shared'
import { errorSchema } from './schemas.js'

/** Errors of every `/v1` request. Requests with a key have further errors. */
const everywhere: readonly ErrorCode[] = [
  'validation_failed',
  'browser_requests_not_allowed',
  'internal_error',
  'service_unavailable',
]
const withKey: readonly ErrorCode[] = [
  'invalid_api_key',
  'key_expired',
  'key_revoked',
  'insufficient_scope',
  'rate_limited',
]

/** The phone is not ready for a call. */
export const notReady: readonly ErrorCode[] = [
  'phone_not_running',
  'phone_starting',
  'phone_parking',
  'phone_deleted',
  'phone_failed',
]

/** Errors of a phone that fails while the request waits for it. */
export const phoneFailures: readonly ErrorCode[] = ['capacity_unavailable', 'phone_unavailable']

/** Errors of requests that call into a phone. */
export const intoPhone: readonly ErrorCode[] = [
  'phone_not_found',
  'phone_not_allowed',
  ...notReady,
  'feature_unavailable',
  'provider_error',
  'phone_unavailable',
  'provider_timeout',
]

/** Errors of requests that are sent to a phone's host once. */
export const sentOnce: readonly ErrorCode[] = [...intoPhone, 'action_outcome_unknown']

/** Errors of requests that change something on a phone. */
export const changePhone: readonly ErrorCode[] = [...sentOnce, 'phone_controlled']

interface DescribedErrors {
  description: string
  content: { 'application/json': { schema: typeof errorSchema } }
}

/** Describes these codes and the codes of every request with a key. */
export const describeErrors = (...codes: ErrorCode[]): Record<number, DescribedErrors> =>
  describeOpenErrors(...codes, ...withKey)

/** Like `describeErrors`, for requests without a key. */
export function describeOpenErrors(...codes: ErrorCode[]): Record<number, DescribedErrors> {
  const byStatus = new Map<number, ErrorCode[]>()
  for (const code of new Set([...codes, ...everywhere])) {
    const { status } = errorTable[code]
    byStatus.set(status, [...(byStatus.get(status) ?? []), code])
  }
  return Object.fromEntries(
    [...byStatus].map(([status, found]) => [
      status,
      {
        description: found.map((code) => `\`${code}\`: ${errorTable[code].message}`).join('\n\n'),
        content: { 'application/json': { schema: errorSchema } },
      },
    ]),
  )
}

/** Returns the codes in a description that this file created. */
export const codesIn = (description: string): ErrorCode[] =>
  [...description.matchAll(/^`(\w+)`: /gm)].map(([, code = '']) => code).filter(isErrorCode)
