/**
 * The jobs of a webhook. It has at most two that wait, however many deliveries are pending: one that makes the next attempt
 * now, and one at the time of the next attempt. docs/decisions/0295
 */
import { limits } from '@phonerack/shared'
import { type RawTx } from '../../base/db/raw-transaction.js'
import { turnMs } from '../../base/queue/host-slots.js'
import { addJobs, newJob, type JobInput, type NewJob } from '../../base/queue/queue.js'

const name = 'webhook.deliver'

/**
 * Milliseconds: the longest pause of a job whose webhook has no free slot. During an outage on this side, all webhooks fail,
 * and wait for few slots.
 */
export const longestTurnMs = (isFailing: boolean): number => (isFailing ? limits.webhooks.attempt : 2000)
/**
 * Milliseconds after which a job without work looks once more: a transaction that found this job waiting, so that it added
 * none, may have committed its delivery after the look.
 */
const lookMs = 1000

const keyOf = (webhookId: string): string => `${name}:${webhookId}`
const laterKeyOf = (webhookId: string): string => `${keyOf(webhookId)}:later`

/** Makes the next attempt. Each attempt adds the next job, while something is due. */
export const deliverNow = (webhookId: string): NewJob =>
  newJob(name, { webhookId }, { key: keyOf(webhookId) })

/** The same job later: its webhook had no free slot. */
export function deliverAfterTurn(webhookId: string, turns: number, isFailing: boolean, now: Date): NewJob {
  const pauseMs = turnMs(turns, longestTurnMs(isFailing))
  const options = { key: keyOf(webhookId), runAt: new Date(now.getTime() + pauseMs) }
  return newJob(name, { webhookId, turns: turns + 1 }, options)
}

const deliverLater = (payload: JobInput<typeof name>, runAt: Date): NewJob =>
  newJob(name, payload, { key: laterKeyOf(payload.webhookId), runAt })

/** Locks the webhook against changes of its state by others. Numbering and fan-out do not wait for it. */
export const lockWebhook = (tx: Pick<RawTx, '$queryRaw'>, id: string): Promise<unknown> =>
  tx.$queryRaw`select 1 as locked from webhooks where id = ${id} for no key update`

/**
 * Adds the job for the next attempt of a webhook, whose lock the transaction holds: it replaces an earlier one.
 * @param looks whether to look once more soon, even if nothing is pending
 */
export async function addNextJob(tx: RawTx, webhookId: string, now: Date, looks = false): Promise<void> {
  const [row] = await tx.$queryRaw<{ at: Date | null }[]>`select min(next_attempt_at) as at
    from webhook_deliveries where webhook_id = ${webhookId} and status = 'pending'`
  const at = row?.at ?? null
  if (at !== null && at <= now) return addJobs(tx, [deliverNow(webhookId)])
  const look = new Date(now.getTime() + lookMs)
  if (looks && (at === null || look < at))
    return addJobs(tx, [deliverLater({ webhookId, isLastLook: true }, look)])
  if (at !== null) await addJobs(tx, [deliverLater({ webhookId }, at)])
}
