/** What single fields of a host's answers may hold. Text that is stored or logged is cleaned, other values are refused. */
import { makeStorable, shorten } from '@phonerack/shared'
import { z } from 'zod'

/** Stored or logged: any text, made fit for Postgres and cut. */
export const cleaned = (most: number) => z.string().transform((text) => shorten(makeStorable(text), most))

/** Passed on as it is. */
export const text = (most: number) => z.string().max(most)

export const bytes = (most: number) => z.instanceof(Buffer).refine((given) => given.length <= most)

/** A length in device pixels, or dots per inch. */
export const pixels = z.int().min(0).max(100_000)

/** Fits a JSON number. */
export const amount = z.bigint().min(0n).max(BigInt(Number.MAX_SAFE_INTEGER))

/** What ISO 8601 writes with four digits of the year, and Postgres stores. */
export const instant = z.date().min(new Date(0)).max(new Date('9999-12-31T00:00:00Z'))

export const sha256 = z.string().regex(/^[0-9a-f]{64}$/)

/** As the generated code has what may be left out: the key is always there. */
export const maybe = <T extends z.ZodType>(schema: T) =>
  schema.optional().transform((value): z.output<T> | undefined => value)

/** An instant that is not worth losing the rest for. */
export const instantOrNone = maybe(instant.optional().catch(undefined))

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Parses UTF-8 JSON. @throws SyntaxError, TypeError */
export const readJson = (json: Uint8Array): unknown => JSON.parse(utf8.decode(json))

/** At most `most` elements. zod 4.6 checks the length before the elements; `few-fields.test.ts` relies on it. */
export const listOf = <T extends z.ZodType>(element: T, most: number) => z.array(element).max(most)

/** Faults of one value that are named; one that is wrong everywhere is no clearer with all of them. */
const namedFaults = 10

/** Bytes that hold JSON of a schema. They are passed on as they came. */
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

/** Levels of a JSON value. What is much deeper cannot be written as JSON again. */
const deepest = 64

/** Whether a value is nested so little that it can be written as JSON again. */
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
