/**
 * Reads hand-overs from the database, and computes their current status, since the stored status may be out
 * of date.
 */
import { ApiError } from '@phonerack/shared'
import { type Reader } from '../../base/db/database.js'
import { Prisma } from '../../gen/prisma/client.js'
import { type HandoffView } from './types.js'
import {
  type StoredStatus,
  authorEndedAt,
  joined,
  standing,
  waitRequest,
} from '../../rental/phones/control.js'

export interface HandoffRow {
  id: string
  projectId: string
  phoneId: string
  status: StoredStatus
  message: string
  note: string | null
  createdAt: Date
  expiresAt: Date
  takenAt: Date | null
  endedAt: Date | null
  sessionEndedAt: Date | null
  /** Null: a member took the phone over without a request. */
  keyId: string | null
  /** The member, while the member is signed in. */
  memberId: string | null
  memberName: string | null
  authorEndedAt: Date | null
}

const selection = (
  now: Date,
): Prisma.Sql => Prisma.sql`select f.id, f.project_id as "projectId", f.phone_id as "phoneId", f.status, f.message, f.note,
  f.created_at as "createdAt", f.expires_at as "expiresAt", f.taken_at as "takenAt", f.ended_at as "endedAt",
  f.key_id as "keyId", u.user_id as "memberId", (select n.name from users n where n.id = u.user_id) as "memberName",
  s.ended_at as "sessionEndedAt", ${authorEndedAt(now)} as "authorEndedAt" from ${joined}`

/** The stored hand-over of a phone; null when there is no hand-over or it was withdrawn. */
export async function findHandoff(
  db: Reader,
  { phoneId, id, now }: { phoneId: string; id: string; now: Date },
): Promise<HandoffRow | null> {
  const rows = await db.$queryRaw<HandoffRow[]>`${selection(now)}
    where f.id = ${id} and f.phone_id = ${phoneId} and f.status <> 'withdrawn'`
  return rows[0] ?? null
}

/** The hand-over that is stored as open or taken. It may nevertheless be over. */
export async function findCurrent(db: Reader, phoneId: string, now: Date): Promise<HandoffRow | null> {
  const rows = await db.$queryRaw<HandoffRow[]>`${selection(now)}
    where f.phone_id = ${phoneId} and f.status in ('open', 'taken')`
  return rows[0] ?? null
}

/** Limit of listed hand-overs. */
const listed = 100

/**
 * Lists the hand-overs in progress of the projects, with the names of their phones: open hand-overs first, then the
 * oldest first.
 */
export const listCurrent = (
  db: Reader,
  projectIds: readonly string[],
  now: Date,
): Promise<(HandoffRow & { phoneName: string })[]> =>
  db.$queryRaw`select c.*, p.name as "phoneName" from (${selection(now)}
      where f.project_id = any(${projectIds}) and f.status in ('open', 'taken') and ${standing(now)}
      order by f.status, f.created_at limit ${listed}) c
    join phones p on p.id = c."phoneId" order by c.status, c."createdAt"`

/**
 * Returns the earliest known end: the stored end, or the expiry of the hand-over, its session, its key or its member.
 * Pure.
 */
export const overAt = ({
  createdAt,
  expiresAt,
  sessionEndedAt,
  authorEndedAt: authorAt,
}: HandoffRow): Date => {
  const ends = [expiresAt, sessionEndedAt ?? expiresAt, authorAt ?? expiresAt]
  return new Date(Math.max(createdAt.getTime(), Math.min(...ends.map(Number))))
}

const isCurrent = (status: StoredStatus): boolean => status === 'open' || status === 'taken'

/** True if the hand-over ended without the person's answer. Pure. */
export const hasLapsed = (row: HandoffRow, now: Date): boolean =>
  isCurrent(row.status) && (row.sessionEndedAt !== null || row.authorEndedAt !== null || row.expiresAt <= now)

/** The view that the API shows at `now`. Pure. */
export function viewOf(row: HandoffRow, now: Date): HandoffView {
  const { id, phoneId: phone, message, note, createdAt, takenAt, expiresAt } = row
  const common = { id, phone, message, note, createdAt, takenAt, expiresAt }
  if (hasLapsed(row, now)) return { ...common, status: 'expired', endedAt: overAt(row) }
  if (row.status === 'withdrawn') throw new Error(`${id} was withdrawn and cannot be shown`)
  return { ...common, status: row.status, endedAt: row.endedAt }
}

export const handoffNotFound = (phoneId: string, id: string): ApiError =>
  new ApiError('handoff_not_found', { details: { phone: phoneId, handoff: id } })
/** The error for a second hand-over while another is in progress. */
export const handoffInProgress = (phoneId: string, { id, status }: HandoffRow): ApiError =>
  new ApiError('handoff_in_progress', {
    details: { phone: phoneId, handoff: id, status },
    next: `${waitRequest(phoneId, id)}, or withdraw it: DELETE /v1/phones/${phoneId}/handoffs/${id}`,
  })
