/**
 * Records failed work on devices, and marks hosts whose devices fail together. A mark stops placement on the
 * host, and quarantines of its devices. `degraded.ts` decides. docs/decisions/0219
 */
import { type Core } from '../../base/core/core.js'
import { addCare } from './care.js'
import {
  judgeHost,
  nextDegraded,
  type Degraded,
  type DegradedRules,
  type DeviceFacts,
  type Verdict,
} from './degraded.js'
import { inTransaction, type Database, type Reader, type Tx } from '../../base/db/database.js'
import { Prisma } from '../../gen/prisma/client.js'
import { inService } from './service.js'

interface Row {
  host_id: string
  degraded_until: Date | null
  degraded_by_starts: boolean
  failing_devices: number
  id: string
  failed_at: Date | null
  start_failed_at: Date | null
  link_lost_at: Date | null
  held_by: string | null
}

interface HostFacts {
  id: string
  degraded: Degraded | null
  failingDevices: number
  devices: DeviceFacts[]
}

const windowStart = (now: Date, { windowMs }: DegradedRules): Date => new Date(now.getTime() - windowMs)

/** A condition on a device `d`: work on the device failed. */
const failedSince = (since: Date): Prisma.Sql =>
  Prisma.sql`(d.failed_at > ${since} or d.start_failed_at > ${since})`

const time = (at: Date | null): number | null => at?.getTime() ?? null

/** The work that failed: the start of a phone, or a wipe or an enrolment. */
type FailedWork = 'start' | 'care'

/**
 * Reads hosts with their devices in service. Quarantined devices count only if they failed within the window.
 * Two kinds of lost links do not count: links that an ordered restart lost, and links of devices that wait
 * for a wipe, since the last tenant may have turned the phone off.
 */
async function readHosts(
  db: Reader,
  which: Prisma.Sql,
  now: Date,
  rules: DegradedRules,
): Promise<HostFacts[]> {
  const rows = await db.$queryRaw<Row[]>`select h.id as host_id, h.degraded_until,
      h.degraded_by_starts, h.failing_devices, d.id, d.failed_at, d.start_failed_at, pr.owner_id as held_by,
      case when d.grace_until > ${now} or d.state = 'wiping' or d.link = 'unenrolled' then null
        else d.link_lost_at end as link_lost_at
    from hosts h join devices d on d.host_id = h.id
      left join phones p on p.id = d.phone_id left join projects pr on pr.id = p.project_id
    where h.retired_at is null and d.enrolled_at is not null and ${inService} and ${which}
      and d.state <> 'unenrolled' and (d.state <> 'quarantined' or ${failedSince(windowStart(now, rules))})`
  const hosts = new Map<string, HostFacts>()
  for (const row of rows) {
    const { host_id: id, degraded_until: until, degraded_by_starts: byStarts, failing_devices: failing } = row
    const degraded = until && { until: until.getTime(), byStarts }
    const host = hosts.get(id) ?? { id, degraded, failingDevices: failing, devices: [] }
    hosts.set(id, host)
    host.devices.push({
      id: row.id,
      failedAt: time(row.failed_at),
      startFailedAt: time(row.start_failed_at),
      linkLostAt: time(row.link_lost_at),
      heldBy: row.held_by,
    })
  }
  return [...hosts.values()]
}

/**
 * Records that work on a device failed in a way that the host may have caused. Returns true when the device
 * must not be quarantined for the failure: the host is degraded, or several of its devices fail. The next
 * `markDegraded` marks the host.
 */
export async function noteFailure(
  tx: Tx,
  { id, fencingNumber }: { id: string; fencingNumber: bigint },
  work: FailedWork,
  now: Date,
  rules: DegradedRules,
): Promise<boolean> {
  // The quarantine of a device for another reason is not taken back. A newer number has ended the work, as
  // after a delete.
  await tx.device.updateMany({
    where: { id, fencingNumber, state: { not: 'quarantined' } },
    data: work === 'start' ? { startFailedAt: now } : { failedAt: now },
  })
  const [host] = await readHosts(
    tx,
    Prisma.sql`h.id = (select host_id from devices where id = ${id})`,
    now,
    rules,
  )
  if (!host) return false
  return isOn(host.degraded, now) || judgeHost(host.devices, now.getTime(), rules).isTogether
}

/**
 * Records that a host refused work on a device by its own fault. A host whose heartbeats report that it refuses work is not
 * recorded, since it gets no phones. A host that refuses without such a report loses its priority, and is degraded after it
 * refused work on several devices.
 */
export async function noteHostFault(
  db: Database,
  { id, fencingNumber }: { id: string; fencingNumber: bigint },
  work: FailedWork,
  now: Date,
): Promise<void> {
  const column = work === 'start' ? Prisma.sql`start_failed_at` : Prisma.sql`failed_at`
  await db.$executeRaw`update devices d set ${column} = ${now} from hosts h
    where h.id = d.host_id and h.refuses is null and d.id = ${id} and d.fencing_number = ${fencingNumber}
      and d.state <> 'quarantined'`
}

/** Whether a host is degraded now. */
export const isDegraded = ({ degradedUntil: until }: { degradedUntil: Date | null }, now: Date): boolean =>
  until !== null && until > now

const isOn = (degraded: Degraded | null, now: Date): degraded is Degraded =>
  degraded !== null && degraded.until > now.getTime()

interface Marked {
  hostId: string
  failing: number
}

/**
 * Marks hosts whose devices failed together, and ends the mark when starts succeed again. Takes back
 * quarantines from before the mark: those devices are wiped and checked again. Every replica calls it;
 * concurrent calls have the same result.
 */
export async function markDegraded(db: Database, now: Date, rules: DegradedRules): Promise<Marked[]> {
  const since = windowStart(now, rules)
  const hosts = await readHosts(
    db,
    Prisma.sql`h.id in (select host_id from devices where failed_at > ${since} or start_failed_at > ${since} or link_lost_at > ${since}
      union select id from hosts where failing_devices > 0)`,
    now,
    rules,
  )
  const marked: Marked[] = []
  for (const host of hosts) {
    const verdict = judgeHost(host.devices, now.getTime(), rules)
    const { failing } = verdict
    const before = isOn(host.degraded, now) ? host.degraded : null
    const after = nextDegraded(verdict, before, now.getTime(), rules)
    if (after === before && failing.length === host.failingDevices) continue
    await db.host.update({
      where: { id: host.id },
      data: {
        failingDevices: failing.length,
        ...(after === before ? {} : marks(after, reasonOf(verdict, host.devices.length, after, rules))),
      },
    })
    if (after === null || after === before) continue
    if (before === null) marked.push({ hostId: host.id, failing: failing.length })
    for (const id of failing) {
      await forgetFailedStarts(db, id)
      await takeBackQuarantine(db, id, since)
    }
  }
  return marked
}

/** The regular task: marks hosts, and logs hosts that became degraded. */
export async function sweepDegraded({ db, clock, rules, log }: Core): Promise<void> {
  for (const { hostId, failing } of await markDegraded(db, clock.now(), rules.degraded))
    log.error({ host: hostId, failing }, 'devices of a host fail together: it gets no new phones')
}

const marks = (after: Degraded | null, reason: string) =>
  after
    ? { degradedUntil: new Date(after.until), degradedByStarts: after.byStarts, degradedReason: reason }
    : { degradedUntil: null }

function reasonOf(
  { failing }: Verdict,
  count: number,
  after: Degraded | null,
  { windowMs, startHoldMs }: DegradedRules,
): string {
  const minutes = `${windowMs / 60_000} minutes`
  const end = after?.byStarts
    ? `It gets new phones again ${startHoldMs / 1000} seconds after the last failed start, or earlier when starts succeed.`
    : `It gets new phones again when its devices have not failed together for ${minutes}.`
  return `${failing.length} of its ${count} devices failed within ${minutes}, so the fault is probably in the host. Check its USB hub, power and adb server, and read the log of its agent. ${end}`
}

/** The host failed those creates, not the device. */
async function forgetFailedStarts(db: Database, id: string): Promise<void> {
  await db.device.updateMany({
    where: { id, state: { not: 'quarantined' }, failedStarts: { gt: 0 } },
    data: { failedStarts: 0 },
  })
}

/**
 * Devices that a phone holds, or that an operator must decide about, stay unchanged. A quarantine for another
 * reason clears the times of the device's failures.
 */
async function takeBackQuarantine(db: Database, deviceId: string, since: Date): Promise<void> {
  await inTransaction(db, async (tx) => {
    const rows = await tx.$queryRaw<{ fencing_number: bigint }[]>`update devices d
      set state = 'wiping', reason = null, failed_starts = 0, fencing_number = fencing_number + 1
      where id = ${deviceId} and state = 'quarantined' and phone_id is null and not wipe_only
        and ${failedSince(since)} and enrolled_at is not null
      returning fencing_number`
    const [row] = rows
    if (row) await addCare(tx, deviceId, 'wiping', row.fencing_number)
  })
}
