/** Creates the deliveries of events in the transaction that numbers them, so that none is left out or created twice. */
import { newId, type Clock } from '@phonerack/shared'
import { type RawTx } from '../../base/db/raw-transaction.js'
import { type NumberedEvent } from '../events/numbering.js'

export interface Receiver {
  id: string
  projectId: string
  /** Empty: all types. */
  events: readonly string[]
}

export interface NewDelivery {
  id: string
  webhookId: string
  number: bigint
}

/** Each event goes to the webhooks of its project that want its type. Pure, except for the IDs. */
export const deliveriesFor = (
  events: readonly NumberedEvent[],
  receivers: readonly Receiver[],
): NewDelivery[] =>
  events.flatMap(({ number, projectId, type }) =>
    receivers
      .filter((receiver) => receiver.projectId === projectId)
      .filter((receiver) => receiver.events.length === 0 || receiver.events.includes(type))
      .map((receiver) => ({ id: newId('delivery'), webhookId: receiver.id, number })),
  )

/**
 * Returns the IDs of the webhooks that get the events. Their jobs are added after the commit (`job-adder.ts`): other
 * transactions lock jobs, and the events of all projects would wait for them.
 */
export async function fanOut(tx: RawTx, clock: Clock, events: readonly NumberedEvent[]): Promise<string[]> {
  const projectIds = [...new Set(events.map(({ projectId }) => projectId))]
  // No change of a webhook conflicts with this lock, except for the deletion of its row, which is long unused by then: this
  // transaction never waits for one, since the events of all projects wait for it.
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
