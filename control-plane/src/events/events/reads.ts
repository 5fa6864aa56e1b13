/** Reads of events by number. */
import { type Reader } from '../../base/db/database.js'
import { type Caller } from '../../base/core/caller.js'
import { Prisma } from '../../gen/prisma/client.js'
import { type EventFacts } from './json.js'
import { type EventFilter } from './types.js'

interface EventRow extends EventFacts {
  number: bigint
}

/** The events that a caller may see and has asked for. */
export function matching(
  caller: Pick<Caller, 'projectId' | 'phoneIds'>,
  { type, phoneId }: EventFilter,
): Prisma.Sql {
  const phones = phoneId === null ? caller.phoneIds : [phoneId]
  const conditions = [
    Prisma.sql`project_id = ${caller.projectId}`,
    ...(type === null ? [] : [Prisma.sql`type = ${type}`]),
    // A key limited to certain phones does not see events without a phone.
    ...(phones === null ? [] : [Prisma.sql`phone_id = any(${[...phones]})`]),
  ]
  return Prisma.join(conditions, ' and ')
}

const columns = Prisma.sql`number, id, type, created_at as "createdAt", phone_id as "phoneId", data`

/** Reads the newest events before `before`; null: the newest events of all. */
export const readNewest = (
  db: Reader,
  which: Prisma.Sql,
  before: bigint | null,
  limit: number,
): Promise<EventRow[]> =>
  db.$queryRaw<EventRow[]>`select ${columns} from events
    where ${which} and number < ${before ?? maxNumber} order by number desc limit ${limit}`

/** The state of the numbering at one moment. All events up to `last` can be read. */
export interface EventState {
  /** The highest number that was assigned. */
  last: bigint
  /** The highest number that has expired. Events with lower numbers may still exist. */
  expired: bigint
  /** Identifies the database: after a restore or failover, the same number may belong to another event. */
  epoch: string
}

const state = Prisma.sql`last_number as last, expired_number as expired, (select current_epoch()) as epoch`

/** Reads the oldest events after `after`, and the state at the same moment. */
export async function readNext(
  db: Reader,
  which: Prisma.Sql,
  after: bigint,
  limit: number,
): Promise<EventState & { rows: EventRow[] }> {
  const found = await db.$queryRaw<(EventState & (EventRow | { number: null }))[]>`select ${state}, e.*
    from event_state left join lateral (
      select ${columns} from events where ${which} and number > ${after} order by number limit ${limit}::int) e on true
    where event_state.id = 1 order by e.number`
  const rows = found.filter((row) => row.number !== null)
  return { ...stateIn(found), rows }
}

/** Reads which projects have events after `after`, and the state at the same moment. */
export async function readChanged(
  db: Reader,
  projectIds: readonly string[],
  after: bigint,
): Promise<EventState & { changed: string[] }> {
  const found = await db.$queryRaw<(EventState & { id: string | null })[]>`select ${state}, c.id
    from event_state left join lateral (
      select p.id from unnest(${[...projectIds]}::text[]) p(id)
        where exists (select 1 from events e where e.project_id = p.id and e.number > ${after})) c on true
    where event_state.id = 1`
  return { ...stateIn(found), changed: found.flatMap(({ id }) => id ?? []) }
}

const maxNumber = 9_223_372_036_854_775_807n

export const readState = async (db: Reader): Promise<EventState> =>
  stateIn(await db.$queryRaw<EventState[]>`select ${state} from event_state where id = 1`)

function stateIn([row]: readonly EventState[]): EventState {
  if (!row) throw new Error('the table event_state has no row')
  const { last, expired, epoch } = row
  return { last, expired, epoch }
}

/** Returns the number of an event; null if the event has expired, belongs to another project, or never existed. */
export async function findNumber(db: Reader, projectId: string, id: string): Promise<bigint | null> {
  const [row] = await db.$queryRaw<{ number: bigint }[]>`select number from events
    where id = ${id} and project_id = ${projectId}`
  return row?.number ?? null
}
