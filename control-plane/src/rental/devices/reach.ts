/** Decides whether work may be sent to a phone's device now, and where. */
import { type Rules } from '../../base/config/config.js'
import { type Reader } from '../../base/db/database.js'
import { isUp } from './link.js'

type Reach = 'in reach' | 'out of reach' | 'no device'

export async function reachOf(db: Reader, phoneId: string, now: Date, rules: Rules): Promise<Reach> {
  const rows = await db.$queryRaw<
    { link: string; state: string; last_seen_at: Date | null }[]
  >`select d.link, d.state, h.last_seen_at
    from devices d join hosts h on h.id = d.host_id where d.phone_id = ${phoneId}`
  const row = rows[0]
  if (!row) return 'no device'
  const isHeldBack = row.state === 'quarantined'
  return !isHeldBack && hostInReach(row.last_seen_at, now, rules) && isUp(row.link)
    ? 'in reach'
    : 'out of reach'
}

/** False once the host's heartbeat is late: new work is refused. */
export const hostInReach = (
  lastSeenAt: Date | null,
  now: Date,
  rules: Pick<Rules, 'hostLateAfterMs'>,
): boolean => lastSeenAt !== null && now.getTime() - lastSeenAt.getTime() <= rules.hostLateAfterMs
