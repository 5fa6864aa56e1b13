import { type HandoffStatus } from '../core/statuses.js'
import { Prisma } from '../gen/prisma/client.js'
import { ApiError } from '@phonerack/shared'

/** As stored. `withdrawn`: the agent took it back; for the API it is gone. */
export type StoredStatus = HandoffStatus | 'withdrawn'

/** Joins `handoffs f` with what it ends with: its session `s` and its key `k`. */
export const joined = Prisma.sql`handoffs f join sessions s on s.id = f.session_id join api_keys k on k.id = f.key_id`

/** True of the rows of `joined` that have not ended with something else. */
export const standing = (now: Date): Prisma.Sql =>
  Prisma.sql`f.expires_at > ${now} and s.ended_at is null and k.revoked_at is null`

/** A lateral join for a query over `phones p`: the hand-over `c` by which a person controls the phone now, if any. */
export const controlOf = (now: Date): Prisma.Sql =>
  Prisma.sql`left join lateral (select f.id, f.expires_at from ${joined}
    where f.phone_id = p.id and f.status = 'taken' and ${standing(now)}) c on true`

/** The request that waits for the person. */
export const waitRequest = (phoneId: string, id: string): string =>
  `GET /v1/phones/${phoneId}/handoffs/${id}?wait=done`

/** Seconds after which a client that waits for nothing else may look again. */
export const lookAgainSeconds = 30

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
