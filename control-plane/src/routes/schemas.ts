/** What `/v1` answers look like, for OpenAPI and for tests; `routes/views.ts` builds them. */
import { errorCodes, idPattern, type IdKind } from '@phonerack/shared'
import { z } from 'zod'
import { endReasons, phoneStatuses } from '../core/statuses.js'

export const id = (kind: IdKind) => z.string().meta({ pattern: idPattern(kind).source })
export const timestamp = z
  .string()
  .meta({ format: 'date-time', description: 'ISO 8601, UTC, with milliseconds.' })
const money = z.string().meta({
  pattern: '^-?\\d+\\.\\d{6}$',
  description: 'US dollars with six decimal places; parse as a decimal.',
})
/** Values may grow, so the description names them without closing the list. */
export const openEnum = (values: readonly string[], description: string) =>
  z.string().meta({ description: `${description} More may be added.`, 'x-extensible-enum': values })

export const phoneStatusSchema = openEnum(phoneStatuses, `One of ${phoneStatuses.join(', ')}.`)

export const openSessionSchema = z
  .object({
    id: id('session'),
    started_at: timestamp,
    ready_at: timestamp.nullable(),
    idle_timeout: z.int().meta({ description: 'Seconds.' }),
    max_duration: z.int().meta({ description: 'Seconds.' }),
    parks_at: timestamp.meta({ description: 'When the phone parks itself.' }),
    park_reason: openEnum(['idle', 'max_duration'], 'The rule that sets `parks_at`.'),
    reserved_usd: money,
  })
  .meta({ id: 'OpenSession' })

export const phoneSchema = z
  .object({
    id: id('phone'),
    object: z.literal('phone'),
    name: z.string().meta({ description: 'The ID when no name was given.' }),
    status: phoneStatusSchema,
    country: z.string().nullable().meta({ description: 'Two letters, as asked for at create; else null.' }),
    metadata: z.record(z.string(), z.string()).meta({ description: 'Pairs of your own.' }),
    created_at: timestamp,
    last_active_at: timestamp.nullable().meta({
      description: 'When it became ready, or was last addressed while ready, to within 15 seconds.',
    }),
    session: openSessionSchema
      .nullable()
      .meta({ description: 'The open session; null while it is not running.' }),
    failure: z
      .object({ code: z.string(), message: z.string(), at: timestamp })
      .nullable()
      .meta({ description: 'The latest failure, until it starts again or becomes ready.' }),
  })
  .meta({ id: 'Phone' })
export type PhoneJson = z.output<typeof phoneSchema>

export const sessionSchema = z
  .object({
    id: id('session'),
    started_at: timestamp,
    ready_at: timestamp.nullable(),
    ended_at: timestamp.nullable(),
    end_reason: openEnum(endReasons, 'Null while open.').nullable(),
    billed_seconds: z.int().nullable().meta({ description: 'Null while open.' }),
    cost_usd: money.nullable(),
    reserved_usd: money,
  })
  .meta({ id: 'Session' })
export type SessionJson = z.output<typeof sessionSchema>

const nextCursor = z.string().nullable().meta({ description: 'Null on the last page.' })
export const phonePageSchema = z
  .object({ data: z.array(phoneSchema), next_cursor: nextCursor })
  .meta({ id: 'PhonePage' })
export const sessionPageSchema = z
  .object({ data: z.array(sessionSchema), next_cursor: nextCursor })
  .meta({ id: 'SessionPage' })

export const accountSchema = z
  .object({
    project: z.string().meta({ description: "The project's name." }),
    balance_usd: money.meta({ description: 'US dollars of credit, before reservations.' }),
    reserved_usd: money.meta({ description: 'US dollars held by open sessions.' }),
    spend_limit_usd: money.meta({ description: 'US dollars that a month may cost.' }),
    spent_this_month_usd: money.meta({
      description: 'US dollars of sessions that ended this calendar month, UTC.',
    }),
    limits: z
      .object({ phones: z.int(), running: z.int() })
      .meta({ description: 'Most phones, and most that run at once.' }),
    running: z.int().meta({ description: 'Phones with an open session.' }),
    phones: z.int().meta({ description: 'Phones that are neither deleted nor failed.' }),
    price: z
      .object({ per_minute_usd: money, minimum_seconds: z.int() })
      .meta({ description: 'Of a minute; and the shortest time that is billed.' }),
    countries: z
      .array(z.object({ code: z.string(), name: z.string() }))
      .meta({ description: 'Those that a create may ask for, by name.' }),
  })
  .meta({ id: 'Account' })
export type AccountJson = z.output<typeof accountSchema>

export const errorSchema = z
  .object({
    error: z.object({
      type: z.string().meta({ description: 'The family of the code.' }),
      code: openEnum(errorCodes, 'The exact error; branch on this.'),
      message: z.string().meta({ description: 'For people; may change.' }),
      retryable: z
        .boolean()
        .meta({ description: 'Whether the same request may succeed later without change.' }),
      next: z.string().nullable().meta({ description: 'The next step, often the request to make.' }),
      request_id: id('request'),
      details: z
        .record(z.string(), z.unknown())
        .meta({ description: 'Facts for programs; may gain fields.' }),
    }),
  })
  .meta({ id: 'Error' })
