/**
 * Numbers events. A sequence assigns values before the commit, so a transaction that commits late has a low value, and
 * a client that has read a higher value would never see its event. Numbers are therefore assigned in a second
 * transaction, one at a time under the lock of `event_state`: a reader that sees a number sees all lower numbers.
 * docs/decisions/0270
 */
import { inRawTransaction } from '../../base/db/database.js'
import { type RawTx } from '../../base/db/raw-transaction.js'
import { type Core } from '../../base/core/core.js'

/** Number of events in one transaction. */
export const batchSize = 500

export interface NumberedEvent {
  number: bigint
  projectId: string
  type: string
}

/**
 * Work of the numbering transaction, on events in the order of their numbers. The work must not wait for rows that
 * other transactions lock. Returns the IDs of the webhooks that have new deliveries.
 */
export type OnNumbered = (tx: RawTx, events: readonly NumberedEvent[]) => Promise<string[]>

interface Numbered {
  events: NumberedEvent[]
  webhookIds: string[]
}

/** Numbers waiting events, at most `batchSize`, and returns them. */
export const numberEvents = (core: Core, onNumbered: OnNumbered): Promise<Numbered> =>
  inRawTransaction(core.transact, async (tx) => {
    // The next statement takes its snapshot after the commit of the lock's previous holder.
    const [state] = await tx.$queryRaw<{ last: bigint }[]>`select last_number as last from event_state
      where id = 1 for update`
    if (!state) throw new Error('the table event_state has no row')
    const events = await tx.$queryRaw<NumberedEvent[]>`with moved as (
        delete from event_outbox where position in (
          select position from event_outbox order by position limit ${batchSize}::int)
        returning position, project_id, phone_id, type, created_at, data),
      numbered as (
        insert into events (number, id, project_id, phone_id, type, created_at, data)
        select ${state.last}::bigint + row_number() over (order by position), new_event_id(), project_id, phone_id, type,
          created_at, data from moved
        returning number, project_id, type),
      counted as (
        update event_state set last_number = last_number + (select count(*) from numbered) where id = 1)
      select number, project_id as "projectId", type from numbered order by number`
    return { events, webhookIds: events.length > 0 ? await onNumbered(tx, events) : [] }
  })

/** Reads without a lock: usually another replica has already numbered the events. */
export async function hasWaiting(core: Core): Promise<boolean> {
  const [row] = await core.db.$queryRaw<
    { waits: boolean }[]
  >`select exists (select 1 from event_outbox) as waits`
  return row?.waits === true
}
