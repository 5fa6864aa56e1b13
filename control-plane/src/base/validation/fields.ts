/** Request bodies of operators and hosts: strict, with the public error for invalid bodies. */
import { ApiError } from '@phonerack/shared'
import { z } from 'zod'
const line = (length: number) =>
  z
    .string()
    .trim()
    .min(1)
    .max(length)
    .refine((text) => !/[\p{Cc}\p{Cs}]/u.test(text), 'must not contain control characters')

/** A display name of a project, an owner, a key, an operator token. */
export const nameSchema = line(80)

/** A note for other operators. */
export const noteSchema = line(200)

/** An ID or serial that Postgres can store. */
export const refSchema = z
  .string()
  .max(200)
  .refine((text) => !text.includes('\0'), 'must not contain NUL')
/** Returns the error of a field that passes its schema but is not acceptable. */
export const invalidField = (field: string, message: string): ApiError =>
  new ApiError('validation_failed', {
    message: `\`${field}\` ${message}.`,
    details: { validation_stage: 'body', issues: [{ path: [field], message }] },
  })

/** Reads `limit` and `before` of lists that are paged by entry. @throws ApiError validation_failed */
export function readPage(query: { limit?: unknown; before?: unknown }): {
  limit: number
  before: string | null
} {
  const { limit = '50', before } = query
  if (typeof limit !== 'string' || !/^([1-9]\d?|100)$/.test(limit))
    throw invalidField('limit', 'must be 1 to 100')
  if (before !== undefined && typeof before !== 'string')
    throw invalidField('before', 'must be given at most once')
  return { limit: Number(limit), before: before ?? null }
}
