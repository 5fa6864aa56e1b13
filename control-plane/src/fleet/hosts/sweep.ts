/**
 * Searches once a second, on every replica, for devices that have been unreachable too long. Each finding is
 * applied under locks, and only while it is still true, so replicas do not disturb each other.
 */
import { type AgentOnBus } from '@phonerack/shared'
import { outOfReach } from '../../rental/devices/quarantine.js'
import { inService } from '../../rental/devices/service.js'
import { Prisma } from '../../gen/prisma/client.js'
import { type Core } from '../../base/core/core.js'
import { endDrainedRun, failPhone, loseReach } from '../../rental/phones/run.js'
import { type ListenedTime, silentFor } from '../../rental/devices/listened.js'
import { type Silence } from './silence.js'

interface SilentRow extends AgentOnBus {
  phone_id: string
  serial: string
  /** Whether the host is silent by Postgres's time. */
  host_silent: boolean
  link_silent: boolean
}

interface RunningRow extends SilentRow {
  last_proof_at: Date
}

const before = (now: Date, ms: number): Date => new Date(now.getTime() - ms)

/**
 * Decides whether the silence of hosts is reliable: only after this replica has listened without interruption
 * for the time that a host can be silent. Otherwise a control plane that was down, or disconnected from the
 * broker or from Postgres, would end sessions of hosts that were never silent.
 */
export class Listening {
  private since: number | null = null
  private lastLook = 0

  /** Must be called at each sweep; times in milliseconds. */
  isLongEnough(now: number, connected: boolean, neededMs: number): boolean {
    const gap = this.lastLook > 0 && now - this.lastLook > 5000
    this.lastLook = now
    if (!connected || gap) this.since = null
    if (!connected) return false
    this.since ??= now
    return now - this.since >= neededMs
  }
}

/**
 * @param listened counts the time in which this replica listens
 * @param silence says which hosts and links this replica has not heard
 */
export async function sweepHosts(
  core: Core,
  listening: Listening,
  listened: ListenedTime,
  silence: Silence,
): Promise<void> {
  const { hostLostAfterMs, lostForGoodAfterMs } = core.rules
  // The query runs first, since a failed sweep also interrupts listening.
  const isAnySilent = await anySilent(core, Math.min(hostLostAfterMs, lostForGoodAfterMs))
  if (!listening.isLongEnough(performance.now(), core.bus.connected, hostLostAfterMs)) return listened.pause()
  await listened.count(core.db)
  if (!isAnySilent) return
  const now = core.clock.now()
  const lostSince = before(now, hostLostAfterMs)
  const isLost = (row: SilentRow): boolean =>
    (row.host_silent && silence.ofHost(row) >= hostLostAfterMs) ||
    (row.link_silent && silence.ofLink(row, row.serial) >= hostLostAfterMs)
  await parkIdleDevices(core, lostSince, (agent) => silence.ofHost(agent) >= hostLostAfterMs)
  for (const row of (await lostWhileRunning(core, now, lostSince)).filter(isLost))
    await loseReach(core, row.phone_id, row.last_proof_at)
  for (const row of (await lostForGood(core, now)).filter(isLost)) {
    await failPhone(core, row.phone_id, 'The device is lost.', outOfReach)
  }
}

/** Whether the queries below could find any device. In most sweeps, this query replaces all three. */
async function anySilent({ db, clock }: Core, ms: number): Promise<boolean> {
  const since = before(clock.now(), ms)
  const rows = await db.$queryRaw<
    unknown[]
  >`select 1 as silent from devices d join hosts h on h.id = d.host_id
    where h.retired_at is null and (h.last_seen_at < ${since} or d.link_lost_at < ${since}) limit 1`
  return rows.length > 0
}

/**
 * Ends the runs on drained hosts and devices at the deadline of the drain. Uses no heartbeats, so it also
 * runs while this replica does not judge the silence of hosts.
 */
export async function sweepDrained(core: Core): Promise<void> {
  const now = core.clock.now()
  const rows = await core.db.$queryRaw<{ id: string }[]>`select p.id
    from phones p join devices d on d.phone_id = p.id join hosts h on h.id = d.host_id
    where p.status in ('creating', 'starting', 'ready') and least(h.drain_until, d.drain_until) <= ${now}`
  const errors: unknown[] = []
  for (const { id } of rows) await endDrainedRun(core, id).catch((error: unknown) => errors.push(error))
  if (errors.length > 0) throw new AggregateError(errors, 'could not end all runs of drained hosts')
}

/** Marks free devices of a lost host offline until the host is heard again. */
async function parkIdleDevices(
  core: Core,
  lostSince: Date,
  isLost: (agent: AgentOnBus) => boolean,
): Promise<void> {
  const silent = await core.db.$queryRaw<
    AgentOnBus[]
  >`select h.id as "hostId", h.join_id as "joinId" from hosts h
    where h.last_seen_at < ${lostSince}
      and exists (select 1 from devices d where d.host_id = h.id and d.state = 'free')`
  const lost = silent.filter(isLost).map(({ hostId }) => hostId)
  if (lost.length === 0) return
  await core.db.$executeRaw`update devices d set state = 'offline' from hosts h
    where h.id = d.host_id and d.state = 'free' and h.id = any(${lost}) and h.last_seen_at < ${lostSince}`
}

/**
 * While the link was up, the host's last heartbeat is the proof of life; afterwards, the time noted
 * when the link broke.
 */
function lostWhileRunning(core: Core, now: Date, lostSince: Date): Promise<RunningRow[]> {
  return core.db.$queryRaw<
    RunningRow[]
  >`select p.id as phone_id, h.id as "hostId", h.join_id as "joinId", d.serial,
      case when d.link_lost_at is null then h.last_seen_at
        else coalesce(d.last_proof_at, d.link_lost_at) end as last_proof_at,
      coalesce(h.last_seen_at < ${lostSince}, false) as host_silent,
      coalesce(d.link_lost_at < ${lostSince}, false) as link_silent
    from phones p join devices d on d.phone_id = p.id join hosts h on h.id = d.host_id
    where p.status in ('creating', 'starting', 'ready')
      and (h.last_seen_at < ${lostSince} or d.link_lost_at < ${lostSince})
      and (d.grace_until is null or d.grace_until < ${now})`
}

/**
 * Silent for too long both by Postgres's time and by the time in which replicas listened. A device out of
 * service is not lost: an operator returns it to service.
 */
function lostForGood(core: Core, now: Date): Promise<SilentRow[]> {
  const ms = core.rules.lostForGoodAfterMs
  const since = before(now, ms)
  const hostSilent = Prisma.sql`coalesce(h.last_seen_at < ${since}, false)
    and ${silentFor(Prisma.sql`h.heard_at_listened_ms`, ms)}`
  const linkSilent = Prisma.sql`coalesce(d.link_lost_at < ${since}, false)
    and ${silentFor(Prisma.sql`d.link_lost_at_listened_ms`, ms)}`
  return core.db.$queryRaw<
    SilentRow[]
  >`select p.id as phone_id, h.id as "hostId", h.join_id as "joinId", d.serial,
      ${hostSilent} as host_silent, ${linkSilent} as link_silent
    from phones p join devices d on d.phone_id = p.id join hosts h on h.id = d.host_id
    where p.status in ('parking', 'parked', 'unavailable') and ((${hostSilent}) or (${linkSilent}))
      and ${inService}`
}
