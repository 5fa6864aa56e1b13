/** The invariants of money and devices, read from the tables. Tests check them after all steps. */
import { type Database } from '../base/db/database.js'

/** Describes each violated invariant; empty when no invariant is violated. */
export async function brokenInvariants(db: Database): Promise<string[]> {
  const rows = await db.$queryRaw<{ what: string }[]>`
    select 'balance of ' || p.id as what from projects p
      where p.balance_micros <> (select coalesce(sum(balance_delta), 0) from ledger l where l.project_id = p.id)
    union all select 'reserved of ' || p.id from projects p
      where p.reserved_micros <> (select coalesce(sum(reserved_delta), 0) from ledger l where l.project_id = p.id)
    union all select 'reserved without open session in ' || p.id from projects p
      where p.reserved_micros <> (select coalesce(sum(reserved_micros), 0) from sessions s
        where s.project_id = p.id and s.ended_at is null)
    union all select 'overspent ' || p.id from projects p where p.balance_micros < p.reserved_micros
      -- What a payment provider takes back may have been spent already.
      and not exists (select 1 from ledger l where l.project_id = p.id and l.kind in ('refund', 'chargeback'))
    union all select 'charge of session ' || s.id from sessions s
      where s.ended_at is not null and s.cost_micros <> -(select coalesce(sum(balance_delta), 0) from ledger l
        where l.session_id = s.id and l.kind = 'charge')
    union all select 'status and session of ' || p.id from phones p
      where (p.status in ('creating', 'starting', 'ready')) <>
        exists (select 1 from sessions s where s.phone_id = p.id and s.ended_at is null)
    union all select 'device of ' || p.id from phones p
      where (p.status not in ('failed', 'deleted')) <> exists (select 1 from devices d where d.phone_id = p.id)`
  return rows.map((row) => row.what)
}
