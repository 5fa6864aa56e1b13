/**
 * Stores the end of hand-overs whose time is over, or whose session or key ended before a release that stores that with
 * the session or key itself. Readers know it earlier (`records.ts`); the change writes the event `handoff.expired`.
 */
import { type Core } from '../core/core.js'

/** Milliseconds after the time of a hand-over: its job must see that the time is over. */
export const expireAfterMs = 50

export async function expireHandoffs(core: Core): Promise<void> {
  const now = core.clock.now()
  const rows = await core.db.$queryRaw<{ phoneId: string }[]>`update handoffs f set status = 'expired',
      ended_at = greatest(f.created_at, least(f.expires_at, s.ended_at, k.revoked_at))
    from sessions s, api_keys k
    where f.status in ('open', 'taken') and s.id = f.session_id and k.id = f.key_id
      and (f.expires_at <= ${now} or s.ended_at is not null or k.revoked_at is not null)
    returning f.phone_id as "phoneId"`
  for (const { phoneId } of rows) core.changes.publish(phoneId)
}
