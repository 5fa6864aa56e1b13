/** Webhooks and deliveries in the database. */
import { ApiError, isId, newId } from '@phonerack/shared'
import { z } from 'zod'
import { type Tx } from '../db/database.js'
import { type RawTx } from '../db/raw-transaction.js'
import { type Caller } from '../core/caller.js'
import { type EventFacts } from '../events/json.js'
import { testEventType } from '../events/types.js'
import { type Event, type Webhook, type WebhookDelivery } from '../gen/prisma/client.js'
import { newJob, type NewJob } from '../queue/queue.js'
import { type DeliveryStatus, type DeliveryView, type WebhookView } from './types.js'

export const webhooksRequest = 'GET /v1/webhooks'

export const webhookNotFound = (id: string): ApiError =>
  new ApiError('webhook_not_found', { details: { webhook: id }, next: webhooksRequest })

/** @throws ApiError webhook_not_found */
export async function findWebhook(db: Tx, { projectId }: Caller, id: string): Promise<Webhook> {
  const found = isId('webhook', id) ? await db.webhook.findUnique({ where: { id } }) : null
  if (found?.projectId !== projectId) throw webhookNotFound(id)
  return found
}

export const webhookView = (webhook: Webhook, now: Date): WebhookView => ({
  id: webhook.id,
  url: webhook.url,
  description: webhook.description,
  events: webhook.events.length === 0 ? null : webhook.events,
  enabled: webhook.disabledAt === null,
  failingSince: webhook.failingSince,
  earlierSecretUntil:
    webhook.earlierSecretUntil !== null && webhook.earlierSecretUntil > now
      ? webhook.earlierSecretUntil
      : null,
  createdAt: webhook.createdAt,
})

/** A delivery with its event; null: a test. */
export type DeliveryRow = WebhookDelivery & { event: Event | null }

/** The event of a test, as stored in its delivery. */
const testEventSchema = z.object({
  id: z.string(),
  type: z.string(),
  createdAt: z.coerce.date(),
  data: z.unknown(),
})

export function eventOf({ event, testEvent }: DeliveryRow): EventFacts {
  if (event) return event
  return { ...testEventSchema.parse(testEvent), phoneId: null }
}

export function deliveryView(row: DeliveryRow): DeliveryView {
  const { id, type } = eventOf(row)
  return {
    id: row.id,
    webhook: row.webhookId,
    event: id,
    type,
    // The table's check constraint allows no other value.
    status: row.status as DeliveryStatus,
    attempts: row.attempts,
    createdAt: row.createdAt,
    lastAttemptAt: row.lastAttemptAt,
    nextAttemptAt: row.nextAttemptAt,
    responseStatus: row.responseStatus,
    responseBody: row.responseBody,
    durationMs: row.durationMs,
    error: row.error,
  }
}

/** The only job of a delivery. */
export const deliveryJob = (deliveryId: string, runAt?: Date): NewJob =>
  newJob(
    'webhook.deliver',
    { deliveryId },
    { key: `webhook.deliver:${deliveryId}`, ...(runAt ? { runAt } : {}) },
  )

/** The pending deliveries of a webhook that is switched off fail. */
export async function disableIn(tx: Pick<RawTx, '$executeRaw'>, id: string, now: Date): Promise<void> {
  await tx.$executeRaw`update webhooks set disabled_at = ${now} where id = ${id} and disabled_at is null`
  await tx.$executeRaw`update webhook_deliveries set status = 'failed', next_attempt_at = null,
      error = coalesce(error, 'webhook_disabled')
    where webhook_id = ${id} and status = 'pending'`
}

/** The row of the delivery of a test. */
export const testDelivery = (webhookId: string, now: Date) => ({
  ...{ id: newId('delivery'), webhookId, status: 'pending', createdAt: now, nextAttemptAt: now },
  testEvent: {
    ...{ id: newId('event'), type: testEventType, createdAt: now.toISOString() },
    data: { webhook: { id: webhookId } },
  },
})
