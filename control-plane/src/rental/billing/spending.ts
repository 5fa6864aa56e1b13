/** The spending of a project by day, phone and key, and its current pace. Read by the console. */
import { type Reader } from '../../base/db/database.js'
import { type Pace } from './outlook.js'

export interface DaySpending {
  /** The date in UTC, such as `2026-01-31`. */
  day: string
  costMicros: bigint
  seconds: number
}

interface PhoneSpending {
  id: string
  name: string
  costMicros: bigint
  seconds: number
}

interface ProjectSpending {
  id: string
  costMicros: bigint
  seconds: number
  balanceMicros: bigint
  reservedMicros: bigint
}

interface KeySpending {
  /** The ID of a key, or of a user who rented the phone in the console. */
  id: string
  name: string
  costMicros: bigint
  seconds: number
}

const listed = 20
const dayMs = 86_400_000

/** Days with an ended session, oldest first. */
export const spendingByDay = (
  db: Reader,
  projectIds: readonly string[],
  since: Date,
): Promise<DaySpending[]> =>
  db.$queryRaw<DaySpending[]>`
    select to_char(ended_at at time zone 'UTC', 'YYYY-MM-DD') as day,
      coalesce(sum(cost_micros), 0)::bigint as "costMicros", coalesce(sum(billed_seconds), 0)::float8 as seconds
    from sessions where project_id = any(${[...projectIds]}) and ended_at >= ${since} group by 1 order by 1`

/** The phones with the highest cost. */
export const spendingByPhone = (db: Reader, projectId: string, since: Date): Promise<PhoneSpending[]> =>
  db.$queryRaw<PhoneSpending[]>`
    select p.id, p.name, coalesce(sum(s.cost_micros), 0)::bigint as "costMicros",
      coalesce(sum(s.billed_seconds), 0)::float8 as seconds
    from sessions s join phones p on p.id = s.phone_id
    where s.project_id = ${projectId} and s.ended_at >= ${since}
    group by p.id, p.name order by 3 desc, p.id limit ${listed}`

/** Each of the projects, with its credit. The projects with the highest cost come first. */
export const spendingByProject = (
  db: Reader,
  projectIds: readonly string[],
  since: Date,
): Promise<ProjectSpending[]> =>
  db.$queryRaw<ProjectSpending[]>`
    select p.id, coalesce(sum(s.cost_micros), 0)::bigint as "costMicros",
      coalesce(sum(s.billed_seconds), 0)::float8 as seconds,
      p.balance_micros as "balanceMicros", p.reserved_micros as "reservedMicros"
    from projects p left join sessions s on s.project_id = p.id and s.ended_at >= ${since}
    where p.id = any(${[...projectIds]}) group by p.id order by 2 desc, p.created_at, p.id`

/**
 * The keys and users whose phones cost the most. A session counts for the key or user that rented its phone.
 */
export const spendingByKey = (db: Reader, projectId: string, since: Date): Promise<KeySpending[]> =>
  db.$queryRaw<KeySpending[]>`
    select spent.id, coalesce(k.name, u.name, spent.id) as name, spent."costMicros", spent.seconds
    from (
      select p.key_id as id, coalesce(sum(s.cost_micros), 0)::bigint as "costMicros",
        coalesce(sum(s.billed_seconds), 0)::float8 as seconds
      from sessions s join phones p on p.id = s.phone_id
      where s.project_id = ${projectId} and s.ended_at >= ${since}
      group by p.key_id order by 2 desc, 1 limit ${listed}) spent
    left join api_keys k on k.id = spent.id left join users u on u.id = spent.id
    order by spent."costMicros" desc, spent.id`

/** The spending of the project now. */
export async function readPace(db: Reader, projectId: string, now: Date): Promise<Pace> {
  const dayAgo = new Date(now.getTime() - dayMs)
  const [pace] = await db.$queryRaw<Pace[]>`
    select open.count as open, open.seconds as "openSeconds", (
      select coalesce(sum(cost_micros), 0)::bigint from sessions
      where project_id = ${projectId} and ended_at >= ${dayAgo}) as "lastDayMicros"
    from (
      select count(*)::int as count,
        coalesce(sum(ceil(greatest(extract(epoch from ${now}::timestamptz - started_at), 0))), 0)::int as seconds
      from sessions where project_id = ${projectId} and ended_at is null) open`
  if (!pace) throw new Error('an aggregate query returned no row')
  return pace
}
