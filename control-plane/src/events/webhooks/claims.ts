/**
 * Claims of deliveries. An attempt in progress has a claim, which keeps other jobs from attempting the delivery. The
 * claim of a killed process stays until it expires.
 */
import { limits } from '@phonerack/shared'
import { type Core } from '../../base/core/core.js'
import { inTransaction, type Tx } from '../../base/db/database.js'
import { type Webhook } from '../../gen/prisma/client.js'
import { addJobs } from '../../base/queue/queue.js'
import { addNextJob, deliverNow, lockWebhook } from './jobs.js'
import { failWaiting, type DeliveryRow } from './records.js'

/** Milliseconds of a claim: an attempt, and the time to store its outcome. */
const claimMs = 2 * limits.webhooks.attempt

export interface Claim {
  webhook: Webhook
  delivery: DeliveryRow
  /** Whether another delivery is due. */
  hasMore: boolean
}

/**
 * Claims the delivery of the webhook that has been due for the longest time. Returns null if none is due. @param
 * addsNext adds a concurrent job for the next delivery, if one is due
 */
export const claimNext = (
  core: Core,
  webhookId: string,
  { addsNext }: { addsNext: boolean },
): Promise<Claim | null> =>
  inTransaction(core.db, async (tx) => {
    const now = core.clock.now()
    const before = await tx.webhook.findUnique({ where: { id: webhookId } })
    if (before === null || before.deletedAt !== null) return null
    let webhook = before
    if (before.disabledAt !== null || before.failsBefore !== null) {
      await lockWebhook(tx, webhookId)
      const hasMore = await failWaiting(tx, webhookId)
      webhook = await tx.webhook.findUniqueOrThrow({ where: { id: webhookId } })
      // The query below may find a delivery that is about to fail.
      if (hasMore && webhook.disabledAt === null) return null
    }
    const isEnabled = webhook.disabledAt === null
    const [first, second] = await tx.$queryRaw<{ id: string }[]>`select id from webhook_deliveries
      where webhook_id = ${webhookId} and status = 'pending' and next_attempt_at <= ${now}::timestamptz
        and (${isEnabled}::boolean or round > 0 or test_event is not null)
      order by next_attempt_at limit 2 for update skip locked`
    if (!first) return null
    const delivery = await tx.webhookDelivery.update({
      where: { id: first.id },
      data: { nextAttemptAt: new Date(now.getTime() + claimMs) },
      include: { event: true },
    })
    if (second && addsNext) await addJobs(tx, [deliverNow(webhookId)])
    return { webhook, delivery, hasMore: second !== undefined }
  })

/**
 * Matches the delivery while its claim lasts: not after another claim, and not after a person has repeated the
 * delivery.
 */
export const sameClaim = ({ id, round, nextAttemptAt }: DeliveryRow) => ({
  id,
  status: 'pending',
  round,
  nextAttemptAt,
})

/**
 * Matches the delivery unless a person has repeated it. The receiver has the event, so this also ends the claim of
 * another attempt.
 */
export const sameRound = ({ id, round }: DeliveryRow) => ({ id, status: 'pending', round })

/** Releases the claim of an interrupted attempt, so that another replica repeats the attempt. */
export const release = (core: Core, delivery: DeliveryRow): Promise<void> =>
  inTransaction(core.db, async (tx) => {
    const now = core.clock.now()
    await lockWebhook(tx, delivery.webhookId)
    await tx.webhookDelivery.updateMany({ where: sameClaim(delivery), data: { nextAttemptAt: now } })
    await addNextJob(tx, delivery.webhookId, now)
  })

/** Adds the job for the next attempt of a webhook. */
export const addNext = (core: Core, webhookId: string, readsAgain: boolean): Promise<void> =>
  inTransaction(core.db, async (tx: Tx) => {
    await lockWebhook(tx, webhookId)
    await addNextJob(tx, webhookId, core.clock.now(), readsAgain)
  })
