/** Webhooks and deliveries in the database. */
import { ApiError, isId, limits, newId } from '@phonerack/shared'
import { z } from 'zod'
import { type Tx } from '../../base/db/database.js'
import { type RawTx } from '../../base/db/raw-transaction.js'
import { type Caller } from '../../base/core/caller.js'
import { type EventFacts } from '../events/json.js'
import { testEventType } from '../events/types.js'
import { type Event, type Webhook, type WebhookDelivery } from '../../gen/prisma/client.js'
import { addJobs } from '../../base/queue/queue.js'
import { deliverNow } from './jobs.js'
import { type DeliveryStatus, type DeliveryView, type WebhookView } from './types.js'

const { byHand, failingLife } = limits.webhooks

export const webhooksRequest = 'GET /v1/webhooks'

export const webhookNotFound = (id: string): ApiError =>
  new ApiError('webhook_not_found', { details: { webhook: id }, next: webhooksRequest })

/** @throws ApiError webhook_not_found */
export async function findWebhook(db: Tx, { projectId }: Caller, id: string): Promise<Webhook> {
  const found = isId('webhook', id) ? await db.webhook.findUnique({ where: { id } }) : null
  if (found?.projectId !== projectId || found.deletedAt !== null) throw webhookNotFound(id)
  return found
}

/** Exact, unless a person switched the webhook off between two attempts after three days of failures. */
function switchedOff({ disabledAt, failingSince }: Webhook): WebhookView['switchedOff'] {
  if (disabledAt === null) return null
  const failedMs = failingSince === null ? 0 : disabledAt.getTime() - failingSince.getTime()
  return { at: disabledAt, isAfterFailures: failedMs >= failingLife * 1000 }
}

export const webhookView = (webhook: Webhook, isSecretReadable: boolean, now: Date): WebhookView => ({
  id: webhook.id,
  url: webhook.url,
  description: webhook.description,
  events: webhook.events.length === 0 ? null : webhook.events,
  enabled: webhook.disabledAt === null,
  switchedOff: switchedOff(webhook),
  isSecretReadable,
  failingSince: webhook.failingSince,
  earlierSecretUntil:
    webhook.earlierSecretUntil !== null && webhook.earlierSecretUntil > now
      ? webhook.earlierSecretUntil
      : null,
  createdAt: webhook.createdAt,
})

/** A delivery with its event; the event of a test is null. */
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

/** True for a test, and for a delivery that a person has repeated. */
export const isByHand = ({ event, round }: DeliveryRow): boolean => event === null || round > 0

/** Number of deliveries that one statement changes. */
const batchRows = 1000

/**
 * Switches a webhook off. The transaction holds its lock. Pending deliveries fail: up to `batchRows` now, the others in
 * the webhook's job.
 */
export async function disableIn(tx: RawTx, id: string, now: Date): Promise<void> {
  await tx.$executeRaw`update webhooks set disabled_at = ${now}, fails_before = ${now}
    where id = ${id} and disabled_at is null`
  await tx.$executeRaw`update webhook_deliveries set status = 'failed', next_attempt_at = null,
      error = coalesce(error, 'webhook_disabled')
    where webhook_id = ${id} and status = 'pending' and (round > 0 or test_event is not null)`
  await failWaiting(tx, id)
}

/**
 * Fails pending deliveries of a webhook, whose lock the transaction holds. While the webhook is switched off, all pending
 * deliveries fail; afterwards, deliveries from before it was switched on fail. Tests and repeated deliveries do not fail.
 * @returns true if one statement failed its maximum of 1,000 deliveries; the webhook's job then fails the remaining deliveries
 */
export async function failWaiting(tx: RawTx, id: string): Promise<boolean> {
  const count = await tx.$executeRaw`update webhook_deliveries set status = 'failed', next_attempt_at = null,
      error = coalesce(error, 'webhook_disabled')
    where id in (select d.id from webhook_deliveries d join webhooks w on w.id = d.webhook_id
      where d.webhook_id = ${id} and d.status = 'pending' and d.round = 0 and d.test_event is null
        and (w.disabled_at is not null or d.created_at <= w.fails_before)
      order by d.next_attempt_at limit ${batchRows}::int for update of d skip locked)`
  if (count === batchRows) {
    await addJobs(tx, [deliverNow(id)])
    return true
  }
  await tx.$executeRaw`update webhooks set fails_before = null
    where id = ${id} and disabled_at is null and fails_before is not null`
  return false
}

/**
 * @throws ApiError rate_limited when too many tests and repeated deliveries of the webhook are pending. The transaction
 * holds the webhook's lock
 */
export async function checkByHand(tx: Pick<RawTx, '$queryRaw'>, id: string): Promise<void> {
  const [row] = await tx.$queryRaw<{ count: number }[]>`select count(*)::int as count from (
    select 1 from webhook_deliveries where webhook_id = ${id} and status = 'pending'
      and (round > 0 or test_event is not null) limit ${byHand}::int) as waiting`
  if ((row?.count ?? 0) < byHand) return
  throw new ApiError('rate_limited', {
    message: `${byHand} tests and repeated deliveries of the webhook are pending, which is the limit.`,
    details: { limit: byHand },
    next: `Wait until some have ended: GET /v1/webhooks/${id}/deliveries`,
    retryAfterSeconds: 60,
  })
}

/** Returns the row for the delivery of a test. */
export const testDelivery = (webhookId: string, now: Date) => ({
  id: newId('delivery'),
  webhookId,
  status: 'pending',
  createdAt: now,
  nextAttemptAt: now,
  testEvent: {
    id: newId('event'),
    type: testEventType,
    createdAt: now.toISOString(),
    data: { webhook: { id: webhookId } },
  },
})
