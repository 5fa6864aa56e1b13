/**
 * Deletes reports of phones, in statements of bounded size: reports of phones without a device, which no
 * agent repeats, and reports that are much older than their events. Called by `jobs/reconcile.ts`.
 * docs/decisions/0276
 */
import { type Core } from '../../base/core/core.js'
import { inBatches } from '../../base/db/in-batches.js'

/** Rows per statement, and statements per run. */
const batchRows = 1000
const mostBatches = 200
/**
 * Milliseconds from the expiry of its event until a report is deleted. From then on, a report that an agent
 * repeats counts as new.
 */
const keptMs = 7 * 86_400_000

/** @param lifeMs the age at which events expire */
export async function expireReports({ db, clock }: Core, lifeMs: number): Promise<void> {
  const before = new Date(clock.now().getTime() - lifeMs - keptMs)
  // The statement jumps from phone to phone in the primary key, instead of reading every report.
  const phones = await db.$queryRaw<{ id: string }[]>`with recursive phone(id) as (
      (select phone_id from phone_reports order by phone_id limit 1)
      union all
      select (select r.phone_id from phone_reports r where r.phone_id > phone.id order by r.phone_id limit 1)
      from phone where phone.id is not null)
    select id from phone where id is not null and (
      not exists (select 1 from devices d where d.phone_id = phone.id)
      or exists (select 1 from phone_reports r where r.phone_id = phone.id and r.created_at < ${before}))`
  let left = mostBatches
  for (const { id } of phones)
    left -= await inBatches(
      { rows: batchRows, most: left },
      () => db.$executeRaw`delete from phone_reports where phone_id = ${id} and id in (
        select r.id from phone_reports r where r.phone_id = ${id} and (r.created_at < ${before}
          or not exists (select 1 from devices d where d.phone_id = ${id}))
        limit ${batchRows}::int for update skip locked)`,
    )
}
