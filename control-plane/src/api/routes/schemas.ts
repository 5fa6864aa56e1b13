/** Response schemas of `/v1`, for OpenAPI and for tests; `routes/views.ts` builds the responses. */
import { errorCodes, idPattern, type IdKind } from '@phonerack/shared'
import { z } from 'zod'
import { endReasons, onIdleChoices, phoneStatuses } from '../../base/core/statuses.js'

export const id = (kind: IdKind) => z.string().meta({ pattern: idPattern(kind).source })
export const timestamp = z
  .string()
  .meta({ format: 'date-time', description: 'ISO 8601, UTC, with milliseconds.' })
const money = z
  .string()
  .meta({
    pattern: '^-?\\d+\\.\\d{6}$',
    description: 'US dollars with six decimal places; parse as a decimal.',
  })
/** The description names the values without closing the list, since values may be added. */
export const openEnum = (values: readonly string[], description: string) =>
  z.string().meta({ description: `${description} More values may be added.`, 'x-extensible-enum': values })

const phoneStatusSchema = openEnum(phoneStatuses, `One of ${phoneStatuses.join(', ')}.`)

const openSessionSchema = z
  .object({
    id: id('session'),
    started_at: timestamp,
    ready_at: timestamp.nullable(),
    idle_timeout: z.int().meta({ description: 'Seconds.' }),
    max_duration: z.int().meta({ description: 'Seconds.' }),
    parks_at: timestamp.meta({
      description:
        'Time at which the phone parks itself. With `on_idle` set to `delete`, the phone is deleted at this time.',
    }),
    park_reason: openEnum(['idle', 'max_duration'], 'The rule that determines `parks_at`.'),
    reserved_usd: money,
  })
  .meta({ id: 'OpenSession' })

export const phoneSchema = z
  .object({
    id: id('phone'),
    object: z.literal('phone'),
    name: z.string().meta({ description: 'The name, or the ID if no name was given.' }),
    status: phoneStatusSchema,
    country: z
      .string()
      .nullable()
      .meta({ description: 'The two-letter country code that the create requested, or null.' }),
    on_idle: openEnum(
      onIdleChoices,
      '`park`, or `delete`: the phone is deleted with its data where it would park by itself or by your request.',
    ),
    metadata: z.record(z.string(), z.string()).meta({ description: 'Your key-value pairs.' }),
    created_at: timestamp,
    last_active_at: timestamp
      .nullable()
      .meta({
        description:
          'Time when the phone became ready or when a request last addressed it while ready, to within 15 seconds.',
      }),
    session: openSessionSchema
      .nullable()
      .meta({ description: 'The open session, or null while the phone is not running.' }),
    failure: z
      .object({ code: z.string(), message: z.string(), at: timestamp })
      .nullable()
      .meta({ description: 'The latest failure; null after the phone starts again or becomes ready.' }),
  })
  .meta({ id: 'Phone' })
export type PhoneJson = z.output<typeof phoneSchema>

export const sessionSchema = z
  .object({
    id: id('session'),
    started_at: timestamp,
    ready_at: timestamp.nullable(),
    ended_at: timestamp.nullable(),
    end_reason: openEnum(endReasons, 'Null while the session is open.').nullable(),
    billed_seconds: z.int().nullable().meta({ description: 'Null while the session is open.' }),
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
    balance_usd: money.meta({ description: 'Credit in US dollars, before reservations.' }),
    reserved_usd: money.meta({ description: 'Credit in US dollars that open sessions reserve.' }),
    spend_limit_usd: money.meta({ description: 'Monthly spending limit in US dollars.' }),
    spent_this_month_usd: money.meta({
      description: 'Cost in US dollars of the sessions that ended this calendar month (UTC).',
    }),
    limits: z
      .object({ phones: z.int(), running: z.int() })
      .meta({ description: 'Maximum number of phones, and of phones with an open session.' }),
    running: z.int().meta({ description: 'Number of phones with an open session.' }),
    phones: z.int().meta({ description: 'Number of phones that are neither deleted nor failed.' }),
    price: z
      .object({ per_minute_usd: money, minimum_seconds: z.int() })
      .meta({ description: 'Price of a minute, and the shortest billed time.' }),
    countries: z
      .array(z.object({ code: z.string(), name: z.string() }))
      .meta({ description: 'Countries that a create can request, sorted by name.' }),
  })
  .meta({ id: 'Account' })
export type AccountJson = z.output<typeof accountSchema>

export const errorSchema = z
  .object({
    error: z.object({
      type: z.string().meta({ description: 'The family of the code.' }),
      code: openEnum(errorCodes, 'The exact error. Branch on this.'),
      message: z.string().meta({ description: 'A text for people, which may change.' }),
      retryable: z
        .boolean()
        .meta({ description: 'Whether the same request may succeed later without change.' }),
      next: z.string().nullable().meta({ description: 'The next step, often the exact request to send.' }),
      request_id: id('request'),
      details: z
        .record(z.string(), z.unknown())
        .meta({ description: 'Machine-readable facts. New fields may be added.' }),
    }),
  })
  .meta({ id: 'Error' })
