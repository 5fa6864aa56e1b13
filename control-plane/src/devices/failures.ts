/**
 * Notes failed work on devices, and marks hosts whose devices fail together. A mark stops placement there and quarantines.
 * `degraded.ts` decides. docs/decisions/0219
 */
import { addCare } from './care.js'
import { degradedUntil, judgeHost, type DegradedRules, type DeviceFacts, type Verdict } from './degraded.js'
import { inTransaction, type Database, type Reader, type Tx } from '../db/database.js'
import { Prisma } from '../gen/prisma/client.js'
import { inService } from './service.js'

interface Row {
  host_id: string
  degraded_until: Date | null
  failing_devices: number
  id: string
  failed_at: Date | null
  link_lost_at: Date | null
  held_by: string | null
}

interface HostFacts {
  id: string
  degradedUntil: Date | null
  failingDevices: number
  devices: DeviceFacts[]
}

const windowStart = (now: Date, { windowMs }: DegradedRules): Date => new Date(now.getTime() - windowMs)

const time = (at: Date | null): number | null => at?.getTime() ?? null

/**
 * Hosts with their devices in service. Quarantined ones count only if they failed within the window. A link does not count that
 * an ordered restart lost, or of a device that waits for a wipe: its last tenant may have turned it off.
 */
async function readHosts(
  db: Reader,
  which: Prisma.Sql,
  now: Date,
  rules: DegradedRules,
): Promise<HostFacts[]> {
  const rows = await db.$queryRaw<Row[]>`select h.id as host_id, h.degraded_until, h.failing_devices,
      d.id, d.failed_at, pr.owner_id as held_by,
      case when d.grace_until > ${now} or d.state = 'wiping' then null else d.link_lost_at end as link_lost_at
    from hosts h join devices d on d.host_id = h.id
      left join phones p on p.id = d.phone_id left join projects pr on pr.id = p.project_id
    where h.retired_at is null and d.enrolled_at is not null and ${inService} and ${which}
      and d.state <> 'unenrolled' and (d.state <> 'quarantined' or d.failed_at > ${windowStart(now, rules)})`
  const hosts = new Map<string, HostFacts>()
  for (const row of rows) {
    const { host_id: id, degraded_until: until, failing_devices: failing } = row
    const host = hosts.get(id) ?? { id, degradedUntil: until, failingDevices: failing, devices: [] }
    hosts.set(id, host)
    const { id: deviceId, failed_at: failedAt, link_lost_at: lostAt, held_by: heldBy } = row
    host.devices.push({ id: deviceId, failedAt: time(failedAt), linkLostAt: time(lostAt), heldBy })
  }
  return [...hosts.values()]
}

/**
 * Notes that work on a device failed in a way for which it would be quarantined. Returns true when it must not be: its host is
 * degraded, or this failure is one of several. The next `markDegraded` marks the host.
 */
export async function noteFailure(
  tx: Tx,
  { id, fencingNumber }: { id: string; fencingNumber: bigint },
  now: Date,
  rules: DegradedRules,
): Promise<boolean> {
  // A device that is quarantined for another reason is not taken back. A newer number has cut the work: a delete, for example.
  await tx.device.updateMany({
    where: { id, fencingNumber, state: { not: 'quarantined' } },
    data: { failedAt: now },
  })
  const [host] = await readHosts(
    tx,
    Prisma.sql`h.id = (select host_id from devices where id = ${id})`,
    now,
    rules,
  )
  if (!host) return false
  return isDegraded(host, now) || judgeHost(host.devices, now.getTime(), rules).isTogether
}

/**
 * Notes that a host refused work on a device by its own fault, unless its heartbeats say that it refuses work: it gets no phones
 * then. A host that answers so and does not say it loses its priority, and is degraded after several devices.
 */
export async function noteHostFault(db: Database, deviceId: string, now: Date): Promise<void> {
  await db.$executeRaw`update devices d set failed_at = ${now} from hosts h
    where h.id = d.host_id and h.refuses is null and d.id = ${deviceId} and d.state <> 'quarantined'`
}

/** Whether a host is degraded now. */
export const isDegraded = ({ degradedUntil: until }: { degradedUntil: Date | null }, now: Date): boolean =>
  until !== null && until > now

export interface Marked {
  hostId: string
  failing: number
}

/**
 * Marks hosts whose devices failed together, and takes back the quarantines that came before it was known: those devices are
 * wiped and checked again. Every replica calls it; concurrent calls have the same result.
 */
export async function markDegraded(db: Database, now: Date, rules: DegradedRules): Promise<Marked[]> {
  const since = windowStart(now, rules)
  const hosts = await readHosts(
    db,
    Prisma.sql`h.id in (select host_id from devices where failed_at > ${since} or link_lost_at > ${since}
      union select id from hosts where failing_devices > 0)`,
    now,
    rules,
  )
  const marked: Marked[] = []
  for (const host of hosts) {
    const verdict = judgeHost(host.devices, now.getTime(), rules)
    if (!verdict.isTogether && verdict.failing.length === host.failingDevices) continue
    const until = degradedUntil(verdict, time(host.degradedUntil), now.getTime(), rules)
    await db.host.update({
      where: { id: host.id },
      data: {
        failingDevices: verdict.failing.length,
        ...(verdict.isTogether && until !== null
          ? { degradedUntil: new Date(until), degradedReason: reasonOf(verdict, host.devices.length, rules) }
          : {}),
      },
    })
    if (!verdict.isTogether) continue
    if (!isDegraded(host, now)) marked.push({ hostId: host.id, failing: verdict.failing.length })
    for (const id of verdict.failing) await takeBackQuarantine(db, id, since)
  }
  return marked
}

const reasonOf = ({ failing }: Verdict, count: number, { windowMs }: DegradedRules): string =>
  `${failing.length} of its ${count} devices failed within ${windowMs / 60_000} minutes, so the fault is probably in the host. Check its USB hub, power and adb server, and read the log of its agent. It gets new phones again when its devices have not failed together for ${windowMs / 60_000} minutes.`

/**
 * Devices that a phone holds, or that an operator must decide about, stay as they are: a quarantine for another reason clears
 * `failed_at`.
 */
async function takeBackQuarantine(db: Database, deviceId: string, since: Date): Promise<void> {
  await inTransaction(db, async (tx) => {
    const rows = await tx.$queryRaw<{ fencing_number: bigint }[]>`update devices
      set state = 'wiping', reason = null, failed_starts = 0, fencing_number = fencing_number + 1
      where id = ${deviceId} and state = 'quarantined' and phone_id is null and not wipe_only
        and failed_at > ${since} and enrolled_at is not null
      returning fencing_number`
    const [row] = rows
    if (row) await addCare(tx, deviceId, 'wiping', row.fencing_number)
  })
}
