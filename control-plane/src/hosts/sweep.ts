/**
 * Looks, once a second on every replica, for devices that have been out of reach too long.
 * Each finding is acted on under locks and only while it still holds, so that replicas do not disturb each other.
 */
import { type Core } from '../phones/core.js'
import { failPhone, loseReach } from '../phones/run.js'

interface LostRow {
  phone_id: string
  last_proof_at: Date
}

const before = (now: Date, ms: number): Date => new Date(now.getTime() - ms)

/**
 * Knows whether the silence of hosts can be believed: only after we ourselves have listened without a break for as
 * long as a host may be late. A control plane that was down, or cut off from the broker or from Postgres,
 * would else end sessions of hosts that never were away.
 */
export class Listening {
  private since: number | null = null
  private lastLook = 0

  /** Call at each look; times in milliseconds. */
  isLongEnough(now: number, connected: boolean, neededMs: number): boolean {
    const gap = this.lastLook > 0 && now - this.lastLook > 5000
    this.lastLook = now
    if (!connected || gap) this.since = null
    if (!connected) return false
    this.since ??= now
    return now - this.since >= neededMs
  }
}

export async function sweepHosts(core: Core, listening: Listening): Promise<void> {
  // Before any look: a look that fails is a gap too.
  await core.db.$queryRaw`select 1 as alive`
  if (!listening.isLongEnough(performance.now(), core.bus.connected, core.rules.hostLateAfterMs)) return
  const now = core.clock.now()
  const lostSince = before(now, core.rules.hostLostAfterMs)
  await parkIdleDevices(core, lostSince)
  for (const row of await lostWhileRunning(core, now, lostSince))
    await loseReach(core, row.phone_id, row.last_proof_at)
  for (const row of await lostForGood(core, before(now, core.rules.lostForGoodAfterMs))) {
    await failPhone(core, row.phone_id, 'The device is lost.', 'out of reach for too long')
  }
}

/** Free devices of a lost host are offline until it is heard again. */
async function parkIdleDevices(core: Core, lostSince: Date): Promise<void> {
  await core.db.$executeRaw`update devices d set state = 'offline' from hosts h
    where h.id = d.host_id and d.state = 'free' and h.last_seen_at < ${lostSince}`
}

/** While the link was up, the host's last heartbeat proves life; after, what was noted when it broke. */
function lostWhileRunning(core: Core, now: Date, lostSince: Date): Promise<LostRow[]> {
  return core.db.$queryRaw<LostRow[]>`select p.id as phone_id,
      case when d.link_lost_at is null then h.last_seen_at
        else coalesce(d.last_proof_at, d.link_lost_at) end as last_proof_at
    from phones p join devices d on d.phone_id = p.id join hosts h on h.id = d.host_id
    where p.status in ('creating', 'starting', 'ready')
      and (h.last_seen_at < ${lostSince} or d.link_lost_at < ${lostSince})
      and (d.grace_until is null or d.grace_until < ${now})`
}

function lostForGood(core: Core, since: Date): Promise<LostRow[]> {
  return core.db.$queryRaw<LostRow[]>`select p.id as phone_id, h.last_seen_at as last_proof_at
    from phones p join devices d on d.phone_id = p.id join hosts h on h.id = d.host_id
    where p.status in ('parking', 'parked', 'unavailable')
      and (h.last_seen_at < ${since} or d.link_lost_at < ${since})`
}
