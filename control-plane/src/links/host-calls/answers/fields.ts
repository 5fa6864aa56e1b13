/**
 * Schemas of single fields in a host's responses. Text that is stored or logged is cleaned; other
 * invalid values are refused.
 */
import { makeStorable, shorten } from '@phonerack/shared'
import { z } from 'zod'

/** Cleans text that is stored or logged: makes it storable in Postgres, and shortens it. */
export const cleaned = (most: number) => z.string().transform((text) => shorten(makeStorable(text), most))

/** Text that is passed on unchanged. */
export const text = (most: number) => z.string().max(most)

export const bytes = (most: number) => z.instanceof(Buffer).refine((given) => given.length <= most)

/** A length in device pixels, or dots per inch. */
export const pixels = z.int().min(0).max(100_000)

/** An integer that fits a JSON number. */
export const amount = z.bigint().min(0n).max(BigInt(Number.MAX_SAFE_INTEGER))

/** A time that ISO 8601 writes with a four-digit year, and that Postgres can store. */
export const instant = z.date().min(new Date(0)).max(new Date('9999-12-31T00:00:00Z'))

export const sha256 = z.string().regex(/^[0-9a-f]{64}$/)

/** An optional field in the form of the generated code: the key is always present. */
export const maybe = <T extends z.ZodType>(schema: T) =>
  schema.optional().transform((value): z.output<T> | undefined => value)

/** Turns an invalid time into undefined, and keeps the rest of the message. */
export const instantOrNone = maybe(instant.optional().catch(undefined))

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Parses UTF-8 JSON. @throws SyntaxError, TypeError */
export const readJson = (json: Uint8Array): unknown => JSON.parse(utf8.decode(json))

/**
 * A list of at most `most` elements. zod 4.6 checks the length before the elements, and `few-fields.test.ts` relies on
 * that.
 */
export const listOf = <T extends z.ZodType>(element: T, most: number) => z.array(element).max(most)

/** Number of invalid fields that an error names for one value. */
const namedFaults = 10

/** Bytes that contain JSON of a schema, and are passed on unchanged. */
export const json = (most: number, schema: z.ZodType, isOptional = false) =>
  bytes(most).superRefine((given, context) => {
    if (isOptional && given.length === 0) return
    try {
      const { error } = schema.safeParse(readJson(given))
      for (const { path } of error?.issues.slice(0, namedFaults) ?? [])
        context.addIssue({ code: 'custom', path: [...path], message: 'does not fit' })
    } catch (error) {
      if (!(error instanceof SyntaxError) && !(error instanceof TypeError)) throw error
      context.addIssue({ code: 'custom', message: 'is not JSON' })
    }
  })

/** Limit of nesting levels of a JSON value. `JSON.stringify` fails for much deeper values. */
const deepest = 64

/** True if the nesting of a value is within the limit. */
export function isShallow(root: unknown): boolean {
  let level: unknown[] = [root]
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > deepest) return false
    level = level.flatMap((value): unknown[] =>
      typeof value === 'object' && value !== null ? Object.values(value) : [],
    )
  }
  return true
}
