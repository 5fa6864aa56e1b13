/** Deletes old sessions, and phones that were deleted long ago. The ledger stays. */
import { type Core } from '../../base/core/core.js'

/** Rows of one statement. */
const batch = 500

/**
 * Sessions are deleted before their phones. The last session of a phone that is not deleted is kept, since it
 * shows how long the phone has not been used. Rows that name a session or a phone expire earlier, except for
 * keys that are limited to a phone.
 */
export async function deleteHistory({ db, rules }: Core, now: Date): Promise<void> {
  const before = new Date(now.getTime() - rules.historyLifeMs)
  await inBatches(
    () => db.$executeRaw`delete from sessions where id in (
    select s.id from sessions s join phones p on p.id = s.phone_id
    where s.ended_at < ${before}
      and (p.status = 'deleted' or exists (select 1 from sessions o
        where o.phone_id = s.phone_id and (o.started_at, o.id) > (s.started_at, s.id)))
      and not exists (select 1 from live_links l where l.session_id = s.id)
      and not exists (select 1 from handoffs h where h.session_id = s.id)
    order by s.ended_at limit ${batch})`,
  )
  await inBatches(
    () => db.$executeRaw`delete from phones where id in (
    select p.id from phones p where p.status = 'deleted' and p.deleted_at < ${before}
      and not exists (select 1 from sessions s where s.phone_id = p.id)
      and not exists (select 1 from devices d where d.phone_id = p.id)
      and not exists (select 1 from api_key_phones k where k.phone_id = p.id)
      and not exists (select 1 from installs i where i.phone_id = p.id)
      and not exists (select 1 from recordings r where r.phone_id = p.id)
      and not exists (select 1 from live_links l where l.phone_id = p.id)
      and not exists (select 1 from handoffs h where h.phone_id = p.id)
    order by p.deleted_at limit ${batch})`,
  )
}

async function inBatches(remove: () => Promise<number>): Promise<void> {
  while ((await remove()) === batch);
}
