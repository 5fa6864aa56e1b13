/** Reads and locks phones with their open sessions, and builds the view that the API shows. */
import { Prisma } from '../../gen/prisma/client.js'
import { createBatchedRead } from '../../base/db/batched-reads.js'
import { type Reader } from '../../base/db/database.js'
import { type PreparedRead } from '../../base/db/prepared-reads.js'
import { type RawTx } from '../../base/db/raw-transaction.js'
import { parkTime } from './timing.js'
import { type OnIdle, type PhoneStatus } from '../../base/core/statuses.js'
import { type OpenSessionView, type PhoneView } from './types.js'

export interface SessionRecord {
  id: string
  startedAt: Date
  readyAt: Date | null
  idleTimeout: number
  maxDuration: number
  reservedMicros: bigint
}

export interface PhoneRecord {
  id: string
  projectId: string
  name: string
  status: PhoneStatus
  country: string | null
  onIdle: OnIdle
  metadata: Record<string, string>
  createdAt: Date
  lastActiveAt: Date | null
  failure: { code: string; message: string; at: Date } | null
  startDeadlineAt: Date | null
  /** A reset was ordered and is not verified yet. */
  resetPending: boolean
  session: SessionRecord | null
}

interface Row {
  id: string
  project_id: string
  name: string
  status: PhoneStatus
  country: string | null
  on_idle: OnIdle
  metadata: Record<string, string>
  created_at: Date
  last_active_at: Date | null
  failure_code: string | null
  failure_message: string | null
  failure_at: Date | null
  start_deadline_at: Date | null
  reset_pending: boolean
  session_id: string | null
  started_at: Date | null
  ready_at: Date | null
  idle_timeout: number | null
  max_duration: number | null
  reserved_micros: bigint | null
}

const columns = Prisma.sql`p.id, p.project_id, p.name, p.status, p.country, p.on_idle, p.metadata, p.created_at,
  p.last_active_at, p.failure_code, p.failure_message, p.failure_at, p.start_deadline_at, p.reset_pending,
  s.id as session_id, s.started_at, s.ready_at, s.idle_timeout, s.max_duration, s.reserved_micros`

const ofOpenSession = Prisma.sql`s.phone_id = p.id and s.ended_at is null`

/** `phones p` with its open session `s`. */
const selection = Prisma.sql`select ${columns} from phones p left join sessions s on ${ofOpenSession}`

/** Selects the phones that match `where` (over `p`), which may also order and limit. */
export async function selectPhones(db: Reader, where: Prisma.Sql): Promise<PhoneRecord[]> {
  const rows = await db.$queryRaw<Row[]>`${selection} ${where}`
  return rows.map(toRecord)
}

const withId = (phoneId: string): Prisma.Sql => Prisma.sql`where p.id = ${phoneId}`

export async function findPhone(db: Reader, phoneId: string): Promise<PhoneRecord | null> {
  return (await selectPhones(db, withId(phoneId)))[0] ?? null
}

const readRows = (read: PreparedRead, phoneIds: readonly string[]): Promise<Row[]> =>
  read<Row>(Prisma.sql`${selection} where p.id = any(${phoneIds})`)

/** Like `findPhone`, outside a transaction and faster. */
export async function readPhone(read: PreparedRead, phoneId: string): Promise<PhoneRecord | null> {
  const [row] = await readRows(read, [phoneId])
  return row ? toRecord(row) : null
}

/** Like `readPhone`, for requests: reads that start together share a statement. */
export function createPhoneReader(read: PreparedRead): (phoneId: string) => Promise<PhoneRecord | null> {
  const readRow = createBatchedRead((phoneIds) => readRows(read, phoneIds))
  return async (phoneId) => {
    const row = await readRow(phoneId)
    return row ? toRecord(row) : null
  }
}

type PhoneLock = 'phone' | 'project and phone'

/** The expression `project` of a `with`, which locks the project of a phone. */
const lockedProject = (phoneId: string): Prisma.Sql => Prisma.sql`project as materialized (
    select id from projects where id = (select project_id from phones where id = ${phoneId}) for update)`

/**
 * Locks the phone (and first its project, where money moves) and reads it. The session is read in a
 * separate statement: a statement that waited for the lock would still see the old session.
 */
export async function lockPhone(tx: RawTx, phoneId: string, lock: PhoneLock): Promise<PhoneRecord | null> {
  await (lock === 'phone'
    ? tx.$queryRaw`select 1 as locked from phones where id = ${phoneId} for update`
    : tx.$queryRaw`with ${lockedProject(phoneId)} select 1 as locked
        from project join phones p on p.project_id = project.id where p.id = ${phoneId} for update of p`)
  return findPhone(tx, phoneId)
}

/**
 * Like `lockPhone`, with one statement, for a phone that has an open session. The statement locks both rows,
 * so after a wait it reads the newest version of both. Returns no row if the session has ended in the
 * meantime.
 */
export async function lockRunningPhone(
  tx: RawTx,
  phoneId: string,
  lock: PhoneLock,
): Promise<PhoneRecord | null> {
  // While the session is locked, a transaction that waits for the phone may insert rows that refer to the
  // session.
  const rest = Prisma.sql`join sessions s on ${ofOpenSession} where p.id = ${phoneId}
    for update of p for no key update of s`
  const [row] = await (lock === 'phone'
    ? tx.$queryRaw<Row[]>`select ${columns} from phones p ${rest}`
    : tx.$queryRaw<Row[]>`with ${lockedProject(phoneId)}
        select ${columns} from project join phones p on p.project_id = project.id ${rest}`)
  return row ? toRecord(row) : lockPhone(tx, phoneId, lock)
}

function toRecord(row: Row): PhoneRecord {
  return {
    id: row.id,
    projectId: row.project_id,
    name: row.name,
    status: row.status,
    country: row.country,
    onIdle: row.on_idle,
    metadata: row.metadata,
    createdAt: row.created_at,
    lastActiveAt: row.last_active_at,
    failure:
      row.failure_code !== null && row.failure_message !== null && row.failure_at !== null
        ? { code: row.failure_code, message: row.failure_message, at: row.failure_at }
        : null,
    startDeadlineAt: row.start_deadline_at,
    resetPending: row.reset_pending,
    session: toSession(row),
  }
}

function toSession(row: Row): SessionRecord | null {
  const { session_id: id, started_at: startedAt, idle_timeout: idleTimeout } = row
  const { max_duration: maxDuration, reserved_micros: reservedMicros } = row
  if (
    id === null ||
    startedAt === null ||
    idleTimeout === null ||
    maxDuration === null ||
    reservedMicros === null
  ) {
    return null
  }
  return { id, startedAt, readyAt: row.ready_at, idleTimeout, maxDuration, reservedMicros }
}

export const viewOf = (phone: PhoneRecord): PhoneView => ({
  id: phone.id,
  name: phone.name,
  status: phone.status,
  country: phone.country,
  onIdle: phone.onIdle,
  metadata: phone.metadata,
  createdAt: phone.createdAt,
  lastActiveAt: phone.lastActiveAt,
  session: sessionView(phone),
  failure: phone.failure,
})

function sessionView(phone: PhoneRecord): OpenSessionView | null {
  const { session } = phone
  if (!session) return null
  const park = parkTimeOf(phone, session)
  return { ...session, parksAt: new Date(park.at), parkReason: park.reason }
}

/** When and why the phone would park next. */
export const parkTimeOf = (phone: PhoneRecord, session: SessionRecord) =>
  parkTime(
    phone.status,
    {
      startedAt: session.startedAt.getTime(),
      idleTimeout: session.idleTimeout,
      maxDuration: session.maxDuration,
    },
    phone.lastActiveAt?.getTime() ?? null,
  )
