/** Hand-overs as the database holds them, and as they are now: who reads one asks here whether it is over. */
import { ApiError } from '@phonerack/shared'
import { type Reader } from '../db/database.js'
import { Prisma } from '../gen/prisma/client.js'
import { type HandoffStatus, type HandoffView } from '../services.js'

/** As stored. `withdrawn`: the agent took it back; for the API it is gone. */
export type StoredStatus = HandoffStatus | 'withdrawn'

export interface HandoffRow {
  id: string
  phoneId: string
  status: StoredStatus
  message: string
  note: string | null
  createdAt: Date
  expiresAt: Date
  takenAt: Date | null
  endedAt: Date | null
  sessionEndedAt: Date | null
  keyRevokedAt: Date | null
}

/** Joins `handoffs f` with what it ends with: its session `s` and its key `k`. */
const joined = Prisma.sql`handoffs f join sessions s on s.id = f.session_id join api_keys k on k.id = f.key_id`

const selection = Prisma.sql`select f.id, f.phone_id as "phoneId", f.status, f.message, f.note,
  f.created_at as "createdAt", f.expires_at as "expiresAt", f.taken_at as "takenAt", f.ended_at as "endedAt",
  s.ended_at as "sessionEndedAt", k.revoked_at as "keyRevokedAt" from ${joined}`

/** True of the rows of `joined` that have not ended with something else. */
const standing = (now: Date): Prisma.Sql =>
  Prisma.sql`f.expires_at > ${now} and s.ended_at is null and k.revoked_at is null`

/** A lateral join for a query over `phones p`: the hand-over `c` by which a person controls the phone now, if any. */
export const controlOf = (now: Date): Prisma.Sql =>
  Prisma.sql`left join lateral (select f.id, f.expires_at from ${joined}
    where f.phone_id = p.id and f.status = 'taken' and ${standing(now)}) c on true`

/** The hand-over of a phone, as stored; null when there is none or it was taken back. */
export async function findHandoff(db: Reader, phoneId: string, id: string): Promise<HandoffRow | null> {
  const rows = await db.$queryRaw<HandoffRow[]>`${selection}
    where f.id = ${id} and f.phone_id = ${phoneId} and f.status <> 'withdrawn'`
  return rows[0] ?? null
}

/** The one that is stored as open or taken; it may be over all the same. */
export async function findCurrent(db: Reader, phoneId: string): Promise<HandoffRow | null> {
  const rows = await db.$queryRaw<HandoffRow[]>`${selection}
    where f.phone_id = ${phoneId} and f.status in ('open', 'taken')`
  return rows[0] ?? null
}

/** When it ended or will end by itself, as far as is known: by its time, its session or its key. Pure. */
export const overAt = ({ createdAt, expiresAt, sessionEndedAt, keyRevokedAt }: HandoffRow): Date => {
  const ends = [expiresAt, sessionEndedAt ?? expiresAt, keyRevokedAt ?? expiresAt]
  return new Date(Math.max(createdAt.getTime(), Math.min(...ends.map(Number))))
}

const isCurrent = (status: StoredStatus): boolean => status === 'open' || status === 'taken'

/** True when it ended without a word: nobody gave the phone back. Pure. */
export const hasLapsed = (row: HandoffRow, now: Date): boolean =>
  isCurrent(row.status) && (row.sessionEndedAt !== null || row.keyRevokedAt !== null || row.expiresAt <= now)

/** Pure. */
export function viewOf(row: HandoffRow, now: Date): HandoffView {
  const { id, phoneId: phone, message, note, createdAt, takenAt, expiresAt } = row
  const common = { id, phone, message, note, createdAt, takenAt, expiresAt }
  if (hasLapsed(row, now)) return { ...common, status: 'expired', endedAt: overAt(row) }
  if (row.status === 'withdrawn') throw new Error(`${id} was taken back: nobody is shown it`)
  return { ...common, status: row.status, endedAt: row.endedAt }
}

export const handoffNotFound = (phoneId: string, id: string): ApiError =>
  new ApiError('handoff_not_found', { details: { phone: phoneId, handoff: id } })

/** The request that waits for the person. */
export const waitRequest = (phoneId: string, id: string): string =>
  `GET /v1/phones/${phoneId}/handoffs/${id}?wait=done`

/** Seconds after which a client that waits for nothing else may look again. */
const lookAgainSeconds = 30

/** For a request that writes to a phone while a person controls it. */
export function phoneControlled(
  phoneId: string,
  control: { id: string; expiresAt: Date },
  now: Date,
): ApiError {
  const left = Math.ceil((control.expiresAt.getTime() - now.getTime()) / 1000)
  return new ApiError('phone_controlled', {
    next: waitRequest(phoneId, control.id),
    details: { phone: phoneId, handoff: control.id, expires_at: control.expiresAt.toISOString() },
    retryAfterSeconds: Math.min(lookAgainSeconds, left),
  })
}

/** For a second hand-over while there is one. */
export const handoffInProgress = (phoneId: string, { id, status }: HandoffRow): ApiError =>
  new ApiError('handoff_in_progress', {
    details: { phone: phoneId, handoff: id, status },
    next: `${waitRequest(phoneId, id)}, or take it back: DELETE /v1/phones/${phoneId}/handoffs/${id}`,
  })
