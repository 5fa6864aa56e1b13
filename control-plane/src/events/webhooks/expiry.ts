/**
 * Deletes deliveries in batches of bounded size: the deliveries of tests, and of deleted webhooks. Deliveries of events
 * are deleted with their events (`events/expiry.ts`). The numbering of events continues during the deletion.
 */
import { type Core } from '../../base/core/core.js'
import { inBatches } from '../../base/db/in-batches.js'

/** Batches of one kind in a run. */
const batches = { rows: 1000, most: 50 }
/** Milliseconds after which no transaction that read a webhook before its deletion still runs. */
const unusedMs = 300_000

/** @param lifeMs the age at which tests expire, like events */
export function expireTests({ db, clock }: Core, lifeMs: number): Promise<number> {
  const before = new Date(clock.now().getTime() - lifeMs)
  return inBatches(
    batches,
    () => db.$executeRaw`delete from webhook_deliveries where id in (
      select id from webhook_deliveries where event_number is null and created_at < ${before}
      order by created_at limit ${batches.rows}::int for update skip locked)`,
  )
}

/** Deletes the deliveries of deleted webhooks. */
export const expireDeletedDeliveries = ({ db }: Core): Promise<number> =>
  inBatches(
    batches,
    () => db.$executeRaw`delete from webhook_deliveries where id in (
      select d.id from webhooks w join webhook_deliveries d on d.webhook_id = w.id
      where w.deleted_at is not null limit ${batches.rows}::int for update of d skip locked)`,
  )

/** Deletes the rows of deleted webhooks that have no deliveries. */
export async function expireDeletedWebhooks({ db, clock }: Core): Promise<void> {
  const before = new Date(clock.now().getTime() - unusedMs)
  await db.$executeRaw`delete from webhooks w where w.deleted_at < ${before}
    and not exists (select 1 from webhook_deliveries d where d.webhook_id = w.id)`
}
