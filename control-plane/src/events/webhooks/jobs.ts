/**
 * The jobs of a webhook. At most two jobs of a webhook wait, however many deliveries are pending: one for an immediate
 * attempt, and one for the time of the next attempt. docs/decisions/0295
 */
import { limits } from '@phonerack/shared'
import { type RawTx } from '../../base/db/raw-transaction.js'
import { turnMs } from '../../base/queue/host-slots.js'
import { addJobs, newJob, type JobInput, type NewJob } from '../../base/queue/queue.js'

const name = 'webhook.deliver'

/**
 * Milliseconds: the longest pause of a job whose webhook has no free slot. During an outage of this service's network,
 * all webhooks fail and share few slots.
 */
export const longestTurnMs = (isFailing: boolean): number => (isFailing ? limits.webhooks.attempt : 2000)
/**
 * Milliseconds after which a job without work reads once more. A transaction that found this job waiting, and therefore
 * added no job, may commit its delivery after the first read.
 */
const rereadMs = 1000

const keyOf = (webhookId: string): string => `${name}:${webhookId}`
const laterKeyOf = (webhookId: string): string => `${keyOf(webhookId)}:later`

/** Makes the next attempt. Each attempt adds the next job while a delivery is due. */
export const deliverNow = (webhookId: string): NewJob =>
  newJob(name, { webhookId }, { key: keyOf(webhookId) })

/** The same job at a later time, because its webhook had no free slot. */
export function deliverAfterTurn(webhookId: string, turns: number, isFailing: boolean, now: Date): NewJob {
  const pauseMs = turnMs(turns, longestTurnMs(isFailing))
  const options = { key: keyOf(webhookId), runAt: new Date(now.getTime() + pauseMs) }
  return newJob(name, { webhookId, turns: turns + 1 }, options)
}

const deliverLater = (payload: JobInput<typeof name>, runAt: Date): NewJob =>
  newJob(name, payload, { key: laterKeyOf(payload.webhookId), runAt })

/** Locks the state of the webhook. Numbering and fan-out do not wait for this lock. */
export const lockWebhook = (tx: Pick<RawTx, '$queryRaw'>, id: string): Promise<unknown> =>
  tx.$queryRaw`select 1 as locked from webhooks where id = ${id} for no key update`

/**
 * Adds the job for the next attempt of a webhook, replacing an earlier job. The transaction holds the lock of
 * the webhook.
 * @param readsAgain whether the job reads once more soon, even if no delivery is pending
 */
export async function addNextJob(tx: RawTx, webhookId: string, now: Date, readsAgain = false): Promise<void> {
  const [row] = await tx.$queryRaw<{ at: Date | null }[]>`select min(next_attempt_at) as at
    from webhook_deliveries where webhook_id = ${webhookId} and status = 'pending'`
  const at = row?.at ?? null
  if (at !== null && at <= now) return addJobs(tx, [deliverNow(webhookId)])
  const nextRead = new Date(now.getTime() + rereadMs)
  if (readsAgain && (at === null || nextRead < at))
    return addJobs(tx, [deliverLater({ webhookId, isLastLook: true }, nextRead)])
  if (at !== null) await addJobs(tx, [deliverLater({ webhookId }, at)])
}
