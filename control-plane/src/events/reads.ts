/** Reads of events by number. */
import { type Reader } from '../db/database.js'
import { type Caller } from '../core/caller.js'
import { Prisma } from '../gen/prisma/client.js'
import { type EventFacts } from './json.js'
import { type EventFilter } from './types.js'

export interface EventRow extends EventFacts {
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
    // A key that is limited to phones sees no events without a phone.
    ...(phones === null ? [] : [Prisma.sql`phone_id = any(${[...phones]})`]),
  ]
  return Prisma.join(conditions, ' and ')
}

const columns = Prisma.sql`number, id, type, created_at as "createdAt", phone_id as "phoneId", data`

/** The newest before `before`; null: the newest of all. */
export const readNewest = (
  db: Reader,
  which: Prisma.Sql,
  before: bigint | null,
  limit: number,
): Promise<EventRow[]> =>
  db.$queryRaw<EventRow[]>`select ${columns} from events
    where ${which} and number < ${before ?? maxNumber} order by number desc limit ${limit}`

/** The oldest after `after`, up to the number `upTo`. */
export const readNext = (
  db: Reader,
  which: Prisma.Sql,
  { after, upTo }: { after: bigint; upTo: bigint },
  limit: number,
): Promise<EventRow[]> =>
  db.$queryRaw<EventRow[]>`select ${columns} from events
    where ${which} and number > ${after} and number <= ${upTo} order by number limit ${limit}`

const maxNumber = 9_223_372_036_854_775_807n

/** The highest number that was given, and the highest that has expired. All events up to `last` can be read now. */
export async function readState(db: Reader): Promise<{ last: bigint; expired: bigint }> {
  const [state] = await db.$queryRaw<{ last: bigint; expired: bigint }[]>`select last_number as last,
    expired_number as expired from event_state where id = 1`
  if (!state) throw new Error('the table event_state has no row')
  return state
}

/** Null: it has expired, belongs to another project, or never existed. */
export async function findNumber(db: Reader, projectId: string, id: string): Promise<bigint | null> {
  const [row] = await db.$queryRaw<{ number: bigint }[]>`select number from events
    where id = ${id} and project_id = ${projectId}`
  return row?.number ?? null
}
