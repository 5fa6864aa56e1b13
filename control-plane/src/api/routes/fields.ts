/** Request fields that several routes share. Lengths are in Unicode code points. */
import { idempotencyKeyPattern, idempotencyKeyRule, limits } from '@phonerack/shared'
import { z } from 'zod'
import { onIdleChoices } from '../../base/core/statuses.js'

const lengthOf = (text: string): number => Array.from(text).length

export const phoneParams = z.object({
  id: z.string().meta({ description: 'A phone ID.', pattern: '^ph_[a-z2-7]{12}$' }),
})

const { phoneName, metadata, page } = limits

export const nameField = z
  .string()
  .trim()
  .refine((name) => lengthOf(name) >= phoneName.min && lengthOf(name) <= phoneName.max, {
    message: `must have between ${phoneName.min} and ${phoneName.max} characters, not counting leading and trailing spaces`,
  })
  .meta({
    minLength: phoneName.min,
    maxLength: phoneName.max,
    description: 'Leading and trailing spaces do not count towards the length.',
  })

export const metadataKey = z
  .string()
  .regex(new RegExp(`^[A-Za-z0-9][A-Za-z0-9_:-]{0,${metadata.key - 1}}$`), {
    message: `must consist of 1 to ${metadata.key} letters, digits, "_", ":" or "-", and start with a letter or digit`,
  })

export const metadataField = z
  .record(
    metadataKey,
    z
      .string()
      .refine((value) => lengthOf(value) <= metadata.value, {
        message: `must have at most ${metadata.value} characters`,
      })
      .meta({ maxLength: metadata.value }),
  )
  .refine((pairs) => Object.keys(pairs).length <= metadata.pairs, {
    message: `must have at most ${metadata.pairs} pairs`,
  })
  .meta({
    maxProperties: metadata.pairs,
    description: 'Your key-value pairs, which `GET /v1/phones` can filter by.',
  })

export const onIdleField = z
  .enum(onIdleChoices)
  .meta({
    description:
      '`delete`: the phone is deleted with its data whenever it would park, by itself or at your request. `park` if omitted.',
  })

const seconds = ({ min, max }: { min: number; max: number }) => z.int().min(min).max(max)

const idleTimeout = 'Seconds without a request after which the phone parks.'
/** For a create, whose schema applies the default. */
export const idleTimeoutField = seconds(limits.idleTimeout).meta({ description: idleTimeout })
/** For a start, whose service applies the default. */
export const newIdleTimeoutField = idleTimeoutField
  .optional()
  .meta({ description: `${idleTimeout} \`${limits.idleTimeout.default}\` if omitted.` })
export const maxDurationField = seconds(limits.maxDuration).meta({
  description: `Maximum length of the session in seconds. If omitted: ${limits.maxDuration.default}, or less if the credit does not suffice.`,
})
export const waitField = z
  .boolean()
  .default(true)
  .meta({ description: `Wait up to about ${limits.lifecycleWait} seconds for the result.` })

/** Returns the query of a read that may wait until its object has one of `states`, for at most `timeout` seconds. */
export const waitQuery = <const State extends string>(
  states: readonly [State, ...State[]],
  description: string,
) =>
  z
    .object({
      wait: z.enum(states).optional().meta({ description }),
      timeout: seconds(limits.pollTimeout)
        .optional()
        .meta({ description: `Seconds; only with \`wait\`. ${limits.pollTimeout.default} if omitted.` }),
    })
    .refine((query) => query.timeout === undefined || query.wait !== undefined, {
      path: ['timeout'],
      message: 'must not be given without `wait`',
    })

export const pageFields = {
  limit: z
    .int()
    .min(page.min)
    .max(page.max)
    .default(page.default)
    .meta({ description: 'Maximum number of entries on the page.' }),
  cursor: z.string().optional().meta({ description: 'The `next_cursor` of the previous page.' }),
}

/** Checked on every POST, although only a create uses the header. */
export const postHeaders = z.object({
  'idempotency-key': z
    .string()
    .regex(idempotencyKeyPattern, { message: idempotencyKeyRule })
    .optional()
    .meta({
      description: `A create request that is repeated with the same key within ${limits.idempotencyWindowHours} hours returns the phone that the first request created. Other requests accept and ignore the header.`,
    }),
})

/** A request without fields: no body, or `{}`. */
export const noBody = z.strictObject({}).optional()
