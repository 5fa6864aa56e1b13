/** Schemas of webhooks and their deliveries, and their JSON from the service's views. */
import { limits } from '@phonerack/shared'
import { z } from 'zod'
import { eventTypes, testEventType } from '../../../events/events/types.js'
import {
  attemptErrors,
  deliveryStatuses,
  type DeliveryView,
  type WebhookView,
} from '../../../events/webhooks/types.js'
import { id, openEnum, timestamp } from '../schemas.js'

export const webhookParams = z.object({
  wid: z.string().meta({ description: 'A webhook ID.', pattern: '^whk_[a-z2-7]{12}$' }),
})

const { url: longestUrl, description: longestDescription } = limits.webhooks

const lengthOf = (text: string): number => Array.from(text).length

const urlField = z
  .string()
  .meta({
    maxLength: longestUrl,
    description:
      'An `https` URL of a public address. Each attempt resolves the host name again, and refuses private, loopback, link-local and other special addresses.',
  })
const eventsField = z
  .array(z.enum(eventTypes))
  .min(1)
  .refine((types) => new Set(types).size === types.length, { message: 'must not name a type twice' })
  .nullable()
  .meta({ description: 'The types of events that are sent; null: all.' })
const descriptionField = z
  .string()
  .refine((text) => lengthOf(text) <= longestDescription, {
    message: `must have at most ${longestDescription} characters`,
  })
  .nullable()
  .meta({ maxLength: longestDescription, description: 'A text for people.' })

export const createWebhookBody = z.strictObject({
  url: urlField,
  events: eventsField.optional(),
  description: descriptionField.optional(),
})

export const updateWebhookBody = z
  .strictObject({
    url: urlField.optional(),
    events: eventsField.optional(),
    description: descriptionField.optional(),
    enabled: z
      .boolean()
      .optional()
      .meta({
        description:
          '`false`: nothing is sent, and pending deliveries fail. Events of this period are not sent later.',
      }),
  })
  .prefault({})

const webhookFields = {
  object: z.literal('webhook'),
  id: id('webhook'),
  url: z.string(),
  description: z.string().nullable(),
  events: z
    .array(openEnum(eventTypes, 'A type of events.'))
    .nullable()
    .meta({ description: 'The types of events that are sent; null: all.' }),
  enabled: z
    .boolean()
    .meta({
      description:
        '`false` after a request set it to `false`, and after three days in which every attempt failed.',
    }),
  failing_since: timestamp
    .nullable()
    .meta({ description: 'Time of the first failed attempt since the last success.' }),
  earlier_secret_expires_at: timestamp
    .nullable()
    .meta({ description: 'Until this time, requests are also signed with the previous secret.' }),
  created_at: timestamp,
}

export const webhookSchema = z.object(webhookFields).meta({ id: 'Webhook' })
export type WebhookJson = z.output<typeof webhookSchema>

export const webhookWithSecretSchema = z
  .object({
    ...webhookFields,
    secret: z
      .string()
      .meta({
        description:
          'The secret that verifies signatures by Standard Webhooks: `whsec_` and a key in Base64. The secret is shown once.',
      }),
  })
  .meta({ id: 'WebhookWithSecret' })

export const webhooksSchema = z.object({ data: z.array(webhookSchema) }).meta({ id: 'Webhooks' })

export const webhookJson = (webhook: WebhookView): WebhookJson => ({
  object: 'webhook',
  id: webhook.id,
  url: webhook.url,
  description: webhook.description,
  events: webhook.events,
  enabled: webhook.enabled,
  failing_since: webhook.failingSince?.toISOString() ?? null,
  earlier_secret_expires_at: webhook.earlierSecretUntil?.toISOString() ?? null,
  created_at: webhook.createdAt.toISOString(),
})

export const deliverySchema = z
  .object({
    object: z.literal('delivery'),
    id: id('delivery'),
    webhook: id('webhook'),
    event: id('event').meta({
      description: 'The ID of the event, which is the header `webhook-id` of the request.',
    }),
    type: openEnum([...eventTypes, testEventType], 'The type of the event.'),
    status: openEnum(deliveryStatuses, `One of ${deliveryStatuses.join(', ')}.`),
    attempts: z.int(),
    created_at: timestamp,
    last_attempt_at: timestamp.nullable(),
    next_attempt_at: timestamp
      .nullable()
      .meta({ description: 'Null once the delivery has succeeded or failed.' }),
    response: z
      .object({
        status: z.int(),
        body: z
          .string()
          .meta({ description: 'The first 16 KB of the body, or the first 1 KB if the delivery succeeded.' }),
      })
      .nullable()
      .meta({ description: 'The response to the last attempt; null without a response.' }),
    duration_ms: z
      .int()
      .nullable()
      .meta({ description: 'The duration of the last attempt in milliseconds.' }),
    error: openEnum(attemptErrors, 'Why the last attempt failed.').nullable(),
  })
  .meta({ id: 'Delivery' })
export type DeliveryJson = z.output<typeof deliverySchema>

export const deliveryPageSchema = z
  .object({
    data: z.array(deliverySchema),
    next_cursor: z.string().nullable().meta({ description: 'Null on the last page.' }),
  })
  .meta({ id: 'DeliveryPage' })

export const deliveryJson = (delivery: DeliveryView): DeliveryJson => ({
  object: 'delivery',
  id: delivery.id,
  webhook: delivery.webhook,
  event: delivery.event,
  type: delivery.type,
  status: delivery.status,
  attempts: delivery.attempts,
  created_at: delivery.createdAt.toISOString(),
  last_attempt_at: delivery.lastAttemptAt?.toISOString() ?? null,
  next_attempt_at: delivery.nextAttemptAt?.toISOString() ?? null,
  response:
    delivery.responseStatus === null
      ? null
      : { status: delivery.responseStatus, body: delivery.responseBody ?? '' },
  duration_ms: delivery.durationMs,
  error: delivery.error,
})
