import { type HandoffStatus } from '../../base/core/statuses.js'
import { Prisma } from '../../gen/prisma/client.js'
import { ApiError } from '@phonerack/shared'

/**
 * The stored status of a hand-over. `withdrawn`: the agent withdrew the hand-over; the API treats it as
 * missing.
 */
export type StoredStatus = HandoffStatus | 'withdrawn'

/**
 * Joins `handoffs f` with its session `s`, and with its key `k` or the sign-in `u` of the member who took the
 * phone over, since the hand-over ends with either.
 */
export const joined = Prisma.sql`handoffs f join sessions s on s.id = f.session_id
  left join api_keys k on k.id = f.key_id left join user_sessions u on u.id = f.user_session_id`

/** Whether the sign-in `u` is valid, and its user may still control the phones of the project. */
const isOfMember = Prisma.sql`exists (select 1 from users n
  left join members m on m.project_id = f.project_id and m.user_id = n.id
  where n.id = u.user_id and u.expires_at > now() and (n.is_operator or m.role in ('owner', 'member')))`

/**
 * When the key, or the right of the member, ended; null: it is still valid. The time of the end of a member's
 * right is not stored, so the current time counts.
 */
export const authorEndedAt = (now: Date): Prisma.Sql =>
  Prisma.sql`case when f.key_id is not null then k.revoked_at when ${isOfMember} then null
    else least(u.expires_at, ${now}) end`

/** Selects hand-overs of `joined` that have not ended for another reason. */
export const standing = (now: Date): Prisma.Sql =>
  Prisma.sql`f.expires_at > ${now} and s.ended_at is null
    and case when f.key_id is not null then k.revoked_at is null else ${isOfMember} end`

/**
 * A lateral join for a query over `phones p`. Adds the hand-over `c` through which a person
 * controls the phone now, if any.
 */
export const controlOf = (now: Date): Prisma.Sql =>
  Prisma.sql`left join lateral (select f.id, f.expires_at from ${joined}
    where f.phone_id = p.id and f.status = 'taken' and ${standing(now)}) c on true`

/** The request that waits until the person has finished. */
export const waitRequest = (phoneId: string, id: string): string =>
  `GET /v1/phones/${phoneId}/handoffs/${id}?wait=done`

/** Seconds after which a client that is not waiting may poll again. */
const lookAgainSeconds = 30

/** The error of a write to a phone that a person controls. */
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
