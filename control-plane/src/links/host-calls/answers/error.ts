/** Reads the error of a host from the trailer of a failed call. */
import { type Metadata } from '@grpc/grpc-js'
import { ApiError, errorCodes, errorTable, type ErrorCode, type ErrorDetails } from '@phonerack/shared'
import { z } from 'zod'
import { cleaned, isShallow, readJson } from './fields.js'

const trailer = 'phonerack-error-bin'
const maxBytes = 64 * 1024
/** The longest `retry_after_seconds` that a host may set. */
const longestWait = 3600

const plainError = z.object({
  code: z.enum(errorCodes),
  message: cleaned(2000),
  retryable: z.boolean(),
  next: cleaned(2000).nullable(),
  details: z.record(z.string(), z.unknown()).refine((details) => isShallow(details)),
})

/** Only the control plane reports errors about keys, money and the service itself. A host reports the limits of its disk and of its operator. */
const foreign = new Set(['authentication_error', 'billing_error', 'permission_error', 'api_error'])
const ofHosts: readonly ErrorCode[] = ['storage_full', 'shell_not_allowed']
const mayAnswer = (code: ErrorCode): boolean => ofHosts.includes(code) || !foreign.has(errorTable[code].type)

/** Returns null for a missing error, and `unusable` for an invalid error or an error that a host must not report. */
export function answerOf(metadata: Metadata): ApiError | 'unusable' | null {
  const bytes = metadata.get(trailer)[0]
  if (bytes === undefined) return null
  if (!Buffer.isBuffer(bytes) || bytes.length > maxBytes) return 'unusable'
  let value: unknown
  try {
    value = readJson(bytes)
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError) return 'unusable'
    throw error
  }
  const { data } = plainError.safeParse(value)
  if (!data || !mayAnswer(data.code)) return 'unusable'
  return new ApiError(data.code, { ...data, details: withUsableWait(data.details) })
}

/** Limits `retry_after_seconds`, which becomes a response header. */
function withUsableWait({ retry_after_seconds: wait, ...details }: ErrorDetails): ErrorDetails {
  const isUsable = typeof wait === 'number' && wait >= 0 && wait <= longestWait
  return isUsable ? { ...details, retry_after_seconds: wait } : details
}
