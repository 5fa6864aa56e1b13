/**
 * The job `webhook.deliver`: sends the next event of a webhook, and continues for `runMs` with further due events. If
 * the replica is killed in between, the delivery stays pending, so the receiver may get it twice, with the same ID.
 */
import { limits, makeStorable } from '@phonerack/shared'
import { type Network } from '../../base/config/webhooks.js'
import { inTransaction, type Tx } from '../../base/db/database.js'
import { type Core } from '../../base/core/core.js'
import { eventJson } from '../events/json.js'
import { countDelivery } from '../../base/metrics/instruments.js'
import { type Webhook } from '../../gen/prisma/client.js'
import { type ServiceKey } from '../../base/pki/service-key.js'
import { addJobs, type JobPayload } from '../../base/queue/queue.js'
import { addNext, claimNext, release, sameClaim, sameRound, type Claim } from './claims.js'
import { addNextJob, deliverAfterTurn, lockWebhook } from './jobs.js'
import { ownAddresses } from './own-addresses.js'
import { disableIn, eventOf, type DeliveryRow } from './records.js'
import { type ResolveOf } from './resolve.js'
import { afterAttempt } from './schedule.js'
import { secretsOf } from './secrets.js'
import { sendAttempt, type AttemptOutcome } from './send.js'
import { signedHeaders } from './sign.js'
import { type DeliverySlots } from './slots.js'

export interface DeliveryParts {
  core: Core
  key: ServiceKey
  allowed: readonly Network[]
  resolve: ResolveOf
  slots: DeliverySlots
  stopping: AbortSignal
}

/** Milliseconds after which a job begins no further attempt, so that its slot is assigned again. */
const runMs = 2000

export async function deliverJob(parts: DeliveryParts, job: JobPayload<'webhook.deliver'>): Promise<void> {
  const { core, slots } = parts
  const { webhookId } = job
  const webhook = await core.db.webhook.findUnique({ where: { id: webhookId } })
  if (webhook === null || webhook.deletedAt !== null) return
  const { projectId } = webhook
  const owner = { projectId, webhookId, isFailing: webhook.failingSince !== null }
  const result = await slots.run(owner, () => deliverNext(parts, job))
  if (result !== 'turn') return
  const again = deliverAfterTurn(webhookId, job.turns, owner.isFailing, core.clock.now())
  await addJobs(core.db, [again])
}

async function deliverNext(
  parts: DeliveryParts,
  { webhookId, isLastLook }: JobPayload<'webhook.deliver'>,
): Promise<void> {
  const { core } = parts
  const until = performance.now() + runMs
  let claim = await claimNext(core, webhookId, { addsNext: true })
  if (claim === null) return addNext(core, webhookId, !isLastLook)
  while (claim !== null) {
    const continues = claim.hasMore && performance.now() < until
    if (!(await deliver(parts, claim, continues))) return
    claim = await claimNext(core, webhookId, { addsNext: false })
  }
  await addNext(core, webhookId, false)
}

/** Returns whether the job continues. If not, the next job has been added. */
async function deliver(parts: DeliveryParts, claim: Claim, continues: boolean): Promise<boolean> {
  const { core, stopping } = parts
  try {
    const outcome = await attempt(parts, claim)
    countDelivery(outcome.error ?? 'delivered')
    return await record(core, claim, outcome, continues && !stopping.aborted)
  } catch (error) {
    if (!stopping.aborted) throw error
    await release(core, claim.delivery)
    return false
  }
}

/** @throws the reason of `stopping` when it aborts */
async function attempt(parts: DeliveryParts, { webhook, delivery }: Claim): Promise<AttemptOutcome> {
  const { core, key, allowed, resolve, stopping } = parts
  const at = core.clock.now()
  const secrets = secretsOf(key, webhook, at)
  if (secrets.length === 0)
    return { isDelivered: false, status: null, body: null, ms: 0, error: 'secret_unreadable' }
  const event = eventJson(eventOf(delivery))
  const body = JSON.stringify(event)
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'Phonerack-Webhooks/1',
    ...signedHeaders(secrets, { id: event.id, at, body }),
  }
  const own = ownAddresses()
  return sendAttempt({
    url: webhook.url,
    headers,
    body,
    allowed,
    own,
    signal: stopping,
    resolve: (name, signal) => resolve(name, signal, webhook.projectId),
  })
}

/**
 * Stores the outcome, the resulting state of the webhook, and the next job, in one transaction. Returns true and adds
 * no job if the job continues. A job does not continue after a failure, since a failing webhook has fewer slots.
 */
async function record(
  core: Core,
  claim: Claim,
  outcome: AttemptOutcome,
  continues: boolean,
): Promise<boolean> {
  const now = core.clock.now()
  const { id } = claim.webhook
  const follows = await inTransaction(core.db, async (tx) => {
    // Attempts of other deliveries change the webhook too. The webhook is locked first, in the same order as in changes
    // by clients.
    await lockWebhook(tx, id)
    const webhook = await tx.webhook.findUnique({ where: { id } })
    if (webhook === null || webhook.deletedAt !== null) return { continues: false, switchesOff: false }
    const switchesOff = await recordIn(tx, webhook, claim.delivery, outcome, now)
    if (continues && outcome.isDelivered) return { continues, switchesOff }
    await addNextJob(tx, id, now)
    return { continues: false, switchesOff }
  })
  if (follows.switchesOff)
    core.log.warn({ webhook: id }, 'switched off a webhook that has failed for three days')
  return follows.continues
}

/** Deliveries are kept for days, so only a part of the response to a success is kept, except for tests. */
function keptBody({ isDelivered, body }: AttemptOutcome, { event }: DeliveryRow): string | null {
  if (body === null || !isDelivered || event === null) return body
  return makeStorable(Buffer.from(body).subarray(0, limits.webhooks.keptOfSuccess).toString('utf8'))
}

/** Returns whether the webhook is switched off now. */
async function recordIn(
  tx: Tx,
  webhook: Webhook,
  delivery: DeliveryRow,
  outcome: AttemptOutcome,
  now: Date,
): Promise<boolean> {
  const { id, projectId, url, failingSince, failedAt } = webhook
  const follows = afterAttempt({
    now,
    isDelivered: outcome.isDelivered,
    attemptOfRound: delivery.attemptsOfRound + 1,
    isTest: delivery.event === null,
    isDisabled: webhook.disabledAt !== null,
    failingSince,
    failedAt,
  })
  const { count } = await tx.webhookDelivery.updateMany({
    where: outcome.isDelivered ? sameRound(delivery) : sameClaim(delivery),
    data: {
      status: follows.status,
      nextAttemptAt: follows.nextAttemptAt,
      lastAttemptAt: now,
      attempts: { increment: 1 },
      attemptsOfRound: { increment: 1 },
      responseStatus: outcome.status,
      durationMs: outcome.ms,
      responseBody: keptBody(outcome, delivery),
      error: outcome.error,
    },
  })
  if (count === 0) return false
  if (follows.failingSince !== failingSince || follows.failedAt !== failedAt)
    await tx.webhook.update({
      where: { id },
      data: { failingSince: follows.failingSince, failedAt: follows.failedAt },
    })
  if (!follows.switchesOff) return false
  await disableIn(tx, id, now)
  const facts = { webhook: { id, url, failing_since: follows.failingSince, disabled_at: now } }
  await tx.$queryRaw`select write_event(${projectId}, null, 'webhook.disabled', ${JSON.stringify(facts)}::jsonb)::text as written`
  return true
}
