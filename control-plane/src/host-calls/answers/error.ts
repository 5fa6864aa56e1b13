/** A host's own error, in the trailer of a call that failed. */
import { type Metadata } from '@grpc/grpc-js'
import { ApiError, errorCodes, errorTable, type ErrorCode, type ErrorDetails } from '@phonerack/shared'
import { z } from 'zod'
import { cleaned, isShallow, readJson } from './fields.js'

const trailer = 'phonerack-error-bin'
const mostBytes = 64 * 1024
/** Seconds that a host may have a client wait. */
const longestWait = 3600

const plainError = z.object({
  code: z.enum(errorCodes),
  message: cleaned(2000),
  retryable: z.boolean(),
  next: cleaned(2000).nullable(),
  details: z.record(z.string(), z.unknown()).refine((details) => isShallow(details)),
})

/** Keys, money and the service itself are the control plane's: a host says nothing about them. */
const foreign = new Set(['authentication_error', 'billing_error', 'permission_error', 'api_error'])
const mayAnswer = (code: ErrorCode): boolean => code === 'storage_full' || !foreign.has(errorTable[code].type)

/** Null when there is none; `unusable` for one that does not fit, or that a host has no say in. */
export function answerOf(metadata: Metadata): ApiError | 'unusable' | null {
  const bytes = metadata.get(trailer)[0]
  if (bytes === undefined) return null
  if (!Buffer.isBuffer(bytes) || bytes.length > mostBytes) return 'unusable'
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

/** `retry_after_seconds` becomes a header. */
function withUsableWait({ retry_after_seconds: wait, ...details }: ErrorDetails): ErrorDetails {
  const isUsable = typeof wait === 'number' && wait >= 0 && wait <= longestWait
  return isUsable ? { ...details, retry_after_seconds: wait } : details
}
