/**
 * Deletes events after their lifetime, in short statements however many events have expired: the deletion holds the
 * lock of `event_state`, which stops the numbering. docs/decisions/0270
 */
import { type Core } from '../../base/core/core.js'
import { type Database } from '../../base/db/database.js'
import { inBatches } from '../../base/db/in-batches.js'

/** Rows of one statement. A project has at most 10 webhooks, so an event has at most 10 deliveries. */
const atOnce = { events: 500, deliveries: 1000 }
/** Batches of one run. A stopping replica waits for the current run; the next run comes a minute later. */
const mostBatches = 200

/** Deletes events that are older than `lifeMs`, and their deliveries. */
export async function expireEvents({ db, clock }: Core, lifeMs: number): Promise<void> {
  const before = new Date(clock.now().getTime() - lifeMs)
  for (let batch = 0; batch < mostBatches; batch += 1) {
    const rows = await db.$queryRaw<
      { number: bigint }[]
    >`select number from events where created_at < ${before}
      order by created_at limit ${atOnce.events}::int`
    const last = rows.reduce((most, { number }) => (number > most ? number : most), 0n)
    if (last === 0n) return
    // The number is stored first, so that a client whose next event is missing can notice the gap.
    await db.$executeRaw`update event_state set expired_number = ${last} where id = 1 and expired_number < ${last}`
    await remove(
      db,
      rows.map(({ number }) => number.toString()),
    )
  }
}

async function remove(db: Database, numbers: readonly string[]): Promise<void> {
  // Deliveries of an attempt in progress are locked. They are deleted together with their events.
  await inBatches(
    { rows: atOnce.deliveries },
    () => db.$executeRaw`delete from webhook_deliveries where id in (
      select id from webhook_deliveries where event_number = any(${numbers}::text[]::bigint[])
      limit ${atOnce.deliveries}::int for update skip locked)`,
  )
  // Rows are locked in one order, since another replica may delete the same events.
  await db.$executeRaw`delete from events where number in (
    select number from events where number = any(${numbers}::text[]::bigint[]) order by number for update)`
}
