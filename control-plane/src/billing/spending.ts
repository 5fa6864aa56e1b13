/** The spending of a project by day and by phone, and the changes of its credit. Read by the console. */
import { type Reader } from '../db/database.js'

export interface DaySpending {
  /** UTC, as `2026-01-31`. */
  day: string
  costMicros: bigint
  seconds: number
}

export interface PhoneSpending {
  id: string
  name: string
  costMicros: bigint
  seconds: number
}

export interface CreditChange {
  at: Date
  kind: string
  micros: bigint
}

const listed = 20

/** Days with an ended session, oldest first. */
export const spendingByDay = (db: Reader, projectId: string, since: Date): Promise<DaySpending[]> =>
  db.$queryRaw<DaySpending[]>`
    select to_char(ended_at at time zone 'UTC', 'YYYY-MM-DD') as day,
      coalesce(sum(cost_micros), 0)::bigint as "costMicros", coalesce(sum(billed_seconds), 0)::float8 as seconds
    from sessions where project_id = ${projectId} and ended_at >= ${since} group by 1 order by 1`

/** The phones that cost the most. */
export const spendingByPhone = (db: Reader, projectId: string, since: Date): Promise<PhoneSpending[]> =>
  db.$queryRaw<PhoneSpending[]>`
    select p.id, p.name, coalesce(sum(s.cost_micros), 0)::bigint as "costMicros",
      coalesce(sum(s.billed_seconds), 0)::float8 as seconds
    from sessions s join phones p on p.id = s.phone_id
    where s.project_id = ${projectId} and s.ended_at >= ${since}
    group by p.id, p.name order by 3 desc, p.id limit ${listed}`

/** Payments and corrections, without the charges of sessions, newest first. */
export const creditChanges = (db: Reader, projectId: string): Promise<CreditChange[]> =>
  db.$queryRaw<CreditChange[]>`
    select at, kind, balance_delta as micros from ledger
    where project_id = ${projectId} and balance_delta <> 0 and kind <> 'charge' order by id desc limit ${listed}`
