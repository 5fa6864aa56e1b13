/**
 * Creates the deliveries of events in the transaction that numbers the events, so that no delivery is omitted or
 * created twice.
 */
import { newId, type Clock } from '@phonerack/shared'
import { type RawTx } from '../../base/db/raw-transaction.js'
import { type NumberedEvent } from '../events/numbering.js'

export interface Receiver {
  id: string
  projectId: string
  /** An empty list means all types. */
  events: readonly string[]
}

interface NewDelivery {
  id: string
  webhookId: string
  number: bigint
}

/** Assigns each event to the webhooks of its project that want its type. Pure, except for the IDs. */
const deliveriesFor = (events: readonly NumberedEvent[], receivers: readonly Receiver[]): NewDelivery[] =>
  events.flatMap(({ number, projectId, type }) =>
    receivers
      .filter((receiver) => receiver.projectId === projectId)
      .filter((receiver) => receiver.events.length === 0 || receiver.events.includes(type))
      .map((receiver) => ({ id: newId('delivery'), webhookId: receiver.id, number })),
  )

/**
 * Returns the IDs of the webhooks that get the events. Their jobs are added after the commit (`job-adder.ts`), because
 * other transactions lock jobs, and the events of all projects would wait for these locks.
 */
export async function fanOut(tx: RawTx, clock: Clock, events: readonly NumberedEvent[]): Promise<string[]> {
  const projectIds = [...new Set(events.map(({ projectId }) => projectId))]
  // Only the deletion of a webhook's row conflicts with this lock, and a deleted row is long unused by then. So this
  // transaction, for which the events of all projects wait, never waits for a change of a webhook.
  const receivers = await tx.$queryRaw<Receiver[]>`select id, project_id as "projectId", events from webhooks
    where project_id = any(${projectIds}) and disabled_at is null and deleted_at is null for key share skip locked`
  const deliveries = deliveriesFor(events, receivers)
  if (deliveries.length === 0) return []
  const now = clock.now()
  await tx.$executeRaw`insert into webhook_deliveries (id, webhook_id, event_number, status, created_at, next_attempt_at)
    select id, webhook_id, number, 'pending', ${now}::timestamptz, ${now}::timestamptz
    from unnest(${deliveries.map(({ id }) => id)}::text[], ${deliveries.map(({ webhookId }) => webhookId)}::text[],
      ${deliveries.map(({ number }) => number.toString())}::bigint[]) as added (id, webhook_id, number)`
  return [...new Set(deliveries.map(({ webhookId }) => webhookId))]
}
