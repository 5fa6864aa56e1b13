/**
 * The job `webhook.deliver`: one attempt to send an event, and what follows from it. A replica that is killed in between
 * leaves the delivery pending, so the receiver may get it twice, with the same ID.
 */
import { type Logger } from '@phonerack/shared'
import { type Network } from '../config/webhooks.js'
import { inTransaction } from '../db/database.js'
import { type Core } from '../core/core.js'
import { eventJson } from '../events/json.js'
import { type Webhook } from '../gen/prisma/client.js'
import { type ServiceKey } from '../pki/service-key.js'
import { turnMs, type HostSlots } from '../queue/host-slots.js'
import { addJobs, newJob, type JobPayload } from '../queue/queue.js'
import { deliveryJob, disableIn, eventOf, type DeliveryRow } from './records.js'
import { type Resolve } from './resolve.js'
import { afterAttempt, type Consequence } from './schedule.js'
import { secretsOf } from './secrets.js'
import { sendAttempt, type AttemptOutcome } from './send.js'
import { signedHeaders } from './sign.js'

export interface DeliveryParts {
  core: Core
  key: ServiceKey
  allowed: readonly Network[]
  resolve: Resolve
  /** Divided between webhooks, so that a receiver that hangs leaves slots to the others. */
  slots: HostSlots
  stopping: AbortSignal
}

/** Milliseconds: the longest pause of a job whose webhook has no free slot. */
const longestTurnMs = 2000

export async function deliverJob(
  parts: DeliveryParts,
  { deliveryId, turns }: JobPayload<'webhook.deliver'>,
): Promise<void> {
  const { core, slots } = parts
  const found = await core.db.webhookDelivery.findUnique({
    where: { id: deliveryId },
    include: { event: true, webhook: true },
  })
  if (found?.status !== 'pending') return
  const { webhook, ...delivery } = found
  const result = await slots.run(webhook.id, 'short', () => attempt(parts, delivery, webhook))
  if (result !== 'turn') return
  const runAt = new Date(core.clock.now().getTime() + turnMs(turns, longestTurnMs))
  const again = newJob(
    'webhook.deliver',
    { deliveryId, turns: turns + 1 },
    { ...deliveryJob(deliveryId).options, runAt },
  )
  await inTransaction(core.db, (tx) => addJobs(tx, [again]))
}

async function attempt(parts: DeliveryParts, delivery: DeliveryRow, webhook: Webhook): Promise<void> {
  const { core, key, allowed, resolve, stopping } = parts
  const at = core.clock.now()
  const secrets = secretsOf(key, webhook, at)
  const event = eventJson(eventOf(delivery))
  const body = JSON.stringify(event)
  const headers = {
    ...{ 'content-type': 'application/json', 'user-agent': 'Phonerack-Webhooks/1' },
    ...signedHeaders(secrets, { id: event.id, at, body }),
  }
  const outcome: AttemptOutcome =
    secrets.length === 0
      ? { isDelivered: false, status: null, body: null, ms: 0, error: 'secret_unreadable' }
      : await sendAttempt({ url: webhook.url, headers, body, allowed, resolve, signal: stopping })
  await record(core, core.log, delivery, webhook.id, outcome)
}

async function record(
  core: Core,
  log: Logger,
  delivery: DeliveryRow,
  webhookId: string,
  outcome: AttemptOutcome,
): Promise<void> {
  const now = core.clock.now()
  const consequence = await inTransaction(core.db, async (tx): Promise<Consequence | null> => {
    // Attempts of other deliveries change the webhook too. Its lock comes first, as in changes by clients.
    await tx.$queryRaw`select 1 as locked from webhooks where id = ${webhookId} for no key update`
    const webhook = await tx.webhook.findUnique({ where: { id: webhookId } })
    if (!webhook) return null
    const follows = afterAttempt({
      ...{ now, isDelivered: outcome.isDelivered, attemptOfRound: delivery.attemptsOfRound + 1 },
      ...{ isTest: delivery.event === null, failingSince: webhook.failingSince },
      isDisabled: webhook.disabledAt !== null,
    })
    const { count } = await tx.webhookDelivery.updateMany({
      // Somebody may have sent it again in between, or switched the webhook off.
      where: { id: delivery.id, status: 'pending', attempts: delivery.attempts },
      data: {
        ...{ status: follows.status, nextAttemptAt: follows.nextAttemptAt, lastAttemptAt: now },
        ...{ attempts: { increment: 1 }, attemptsOfRound: { increment: 1 } },
        ...{ responseStatus: outcome.status, responseBody: outcome.body, durationMs: outcome.ms },
        error: outcome.error,
      },
    })
    if (count === 0) return null
    await tx.webhook.update({ where: { id: webhookId }, data: { failingSince: follows.failingSince } })
    if (follows.switchesOff) {
      await disableIn(tx, webhookId, now)
      const facts = {
        webhook: { id: webhookId, url: webhook.url, failing_since: follows.failingSince, disabled_at: now },
      }
      await tx.$queryRaw`select write_event(${webhook.projectId}, null, 'webhook.disabled', ${JSON.stringify(facts)}::jsonb)::text as written`
    }
    if (follows.nextAttemptAt) await addJobs(tx, [deliveryJob(delivery.id, follows.nextAttemptAt)])
    return follows
  })
  if (consequence?.switchesOff)
    log.warn({ webhook: webhookId }, 'switched off a webhook that has failed for three days')
}
