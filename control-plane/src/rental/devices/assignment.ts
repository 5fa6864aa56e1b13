/**
 * Assigns devices to phones: takes a free device, raises its fencing number, and releases it,
 * within the caller's transaction.
 */
import { Prisma } from '../../gen/prisma/client.js'
import { makeStorable, shorten } from '@phonerack/shared'
import { ConcurrentChange, type Reader } from '../../base/db/database.js'
import { type RawTx } from '../../base/db/raw-transaction.js'
import { addWipe } from './care.js'
import { takesWork } from './service.js'
import { cleanForAnyone, cleanForTenant, tenantOf } from './tenant.js'

export interface AssignedDevice {
  id: string
  hostId: string
  serial: string
  fencingNumber: bigint
}

interface Row {
  id: string
  host_id: string
  serial: string
  fencing_number: bigint
}

const toDevice = (row: Row): AssignedDevice => ({
  id: row.id,
  hostId: row.host_id,
  serial: row.serial,
  fencingNumber: row.fencing_number,
})

interface Wanted {
  /** The tenant that gets the device: some devices are clean for one tenant only. */
  projectId: string
  /** Null: any country. */
  country: string | null
  /** The device's host sent a heartbeat after this time. */
  heardSince: Date
  now: Date
  /** Hosts that refused this request a moment ago; omitted: none. */
  exceptHosts?: readonly string[]
}

/**
 * The number of groups of free devices that are compared. A group is a host's devices that are clean for the
 * same tenants.
 */
const maxGroups = 8

/**
 * Locks a device that can be assigned: free, healthy, in service, its host heard recently, and confirmed by
 * its agent as clean for this tenant since the database last changed. Prefers hosts without failing devices,
 * then hosts with fewer running phones of the project. First skips devices that another transaction has
 * locked. When only locked devices are left, waits for one, since heartbeats lock devices briefly.
 */
export async function lockFreeDevice(
  tx: RawTx,
  { projectId, country, heardSince, now, exceptHosts = [] }: Wanted,
): Promise<AssignedDevice | null> {
  const theirs = cleanForTenant(tenantOf(projectId))
  const mine = Prisma.sql`mine as materialized (
      select pd.host_id, count(*) as phones from phones p join devices pd on pd.phone_id = p.id
      where p.project_id = ${projectId} and p.status in ('creating', 'starting', 'ready') group by 1)`
  // The function is slow, and the condition is used twice.
  const epoch = Prisma.sql`epoch as materialized (select current_epoch() as value)`
  const fits = Prisma.sql`d.state = 'free' and d.link = 'healthy' and ${takesWork}
      and d.confirmed_epoch = (select value from epoch) and h.last_seen_at > ${heardSince}
      and (h.degraded_until is null or h.degraded_until <= ${now})
      and (${country}::text is null or h.country = ${country}) and h.id <> all(${[...exceptHosts]}::text[])`
  const columns = Prisma.sql`d.id, d.host_id, d.serial, d.fencing_number`
  // Compares the first free device of each group, and locks a device of the best groups. The statement sorts
  // and locks few devices, however many are free.
  const fromBestGroups = Prisma.sql`with ${epoch}, ${mine}, best as materialized (
      select h.id as host_id, kind.clean_for, h.failing_devices > 0 as fails, coalesce(mine.phones, 0) as phones
      from hosts h cross join (values (${theirs}), (${cleanForAnyone})) kind (clean_for)
      cross join lateral (select d.id, d.freed_at from devices d
        where d.host_id = h.id and d.clean_for = kind.clean_for and ${fits}
        order by d.freed_at nulls first, d.id limit 1) first
      left join mine on mine.host_id = h.id
      order by 3, kind.clean_for = ${cleanForAnyone}, 4, first.freed_at nulls first, first.id limit ${maxGroups})
    select ${columns} from best join hosts h on h.id = best.host_id
    join devices d on d.host_id = best.host_id and d.clean_for = best.clean_for and ${fits}
    order by best.fails, d.clean_for = ${cleanForAnyone}, best.phones, d.freed_at nulls first, d.id
    limit 1 for update of d skip locked`
  const fromAll = (skip: Prisma.Sql): Prisma.Sql => Prisma.sql`with ${epoch}, ${mine}
    select ${columns} from devices d join hosts h on h.id = d.host_id left join mine on mine.host_id = h.id
    where ${fits} and d.clean_for in (${cleanForAnyone}, ${theirs})
    order by h.failing_devices > 0, d.clean_for = ${cleanForAnyone}, coalesce(mine.phones, 0),
      d.freed_at nulls first, d.id limit 1 for update of d ${skip}`
  const [unlocked] = await tx.$queryRaw<Row[]>(fromBestGroups)
  if (unlocked) return toDevice(unlocked)
  for (const query of [fromAll(Prisma.sql`skip locked`), fromAll(Prisma.empty), fromAll(Prisma.empty)]) {
    const [row] = await tx.$queryRaw<Row[]>(query)
    if (!row) continue
    // A drain or retirement of the device's host may have ended while this statement waited for the lock.
    const again = await tx.$queryRaw<unknown[]>`select 1 from devices d join hosts h on h.id = d.host_id
      where d.id = ${row.id} and ${takesWork}`
    if (again.length > 0) return toDevice(row)
  }
  return null
}

/** A locked free device with the fencing number of its next assignment. */
export const nextAssignment = (free: AssignedDevice): AssignedDevice => ({
  ...free,
  fencingNumber: free.fencingNumber + 1n,
})

/**
 * Builds the expression `assigned` of a `with`, which assigns a locked free device to a phone under the
 * number of `nextAssignment`. The expression has no row if a drain or retirement of the device's host ended
 * while the device was locked.
 */
export const assigning = ({ id, fencingNumber }: AssignedDevice, phoneId: string): Prisma.Sql =>
  // The agent's confirmation ends with the assignment.
  Prisma.sql`assigned as (
      update devices d set state = 'assigned', phone_id = ${phoneId}, reason = null, fencing_number = ${fencingNumber},
        grace_until = null, confirmed_epoch = null, clean_for = ''
      from hosts h where h.id = d.host_id and d.id = ${id} and d.state = 'free'
        and d.fencing_number = ${fencingNumber}::bigint - 1 and ${takesWork}
      returning d.id)`

/**
 * Assigns a locked free device to a phone and raises its fencing number by one. @throws ConcurrentChange if a
 * drain or retirement of the device's host ended while the device was locked
 */
export async function assignDevice(
  tx: RawTx,
  free: AssignedDevice,
  phoneId: string,
): Promise<AssignedDevice> {
  const device = nextAssignment(free)
  const rows = await tx.$queryRaw<
    unknown[]
  >`with ${assigning(device, phoneId)} select 1 as assigned from assigned`
  if (rows.length === 0) throw new ConcurrentChange(`device ${free.id} takes no work`)
  return device
}

export async function deviceOf(db: Reader, phoneId: string): Promise<AssignedDevice | null> {
  const rows = await db.$queryRaw<
    Row[]
  >`select id, host_id, serial, fencing_number from devices where phone_id = ${phoneId}`
  return rows[0] ? toDevice(rows[0]) : null
}

/**
 * Raises the fencing number, so that the agent refuses calls with the old number. Returns null when the phone
 * holds no device.
 */
export async function raiseFencing(tx: RawTx, phoneId: string): Promise<AssignedDevice | null> {
  const rows = await tx.$queryRaw<
    Row[]
  >`update devices set fencing_number = fencing_number + 1, grace_until = null
    where phone_id = ${phoneId} returning id, host_id, serial, fencing_number`
  return rows[0] ? toDevice(rows[0]) : null
}

/**
 * Raises the fencing number, and lets the device be unreachable until `graceUntil` without being lost.
 * Returns null when the phone holds no device.
 */
export async function suspendGrace(
  tx: RawTx,
  phoneId: string,
  graceUntil: Date,
): Promise<AssignedDevice | null> {
  const rows = await tx.$queryRaw<
    Row[]
  >`update devices set fencing_number = fencing_number + 1, grace_until = ${graceUntil}
    where phone_id = ${phoneId} returning id, host_id, serial, fencing_number`
  return rows[0] ? toDevice(rows[0]) : null
}

/**
 * Takes a phone's device away and adds its wipe. The device is not assigned before the wipe is verified. A
 * quarantined device stays quarantined.
 */
export async function releaseDevice(tx: RawTx, phoneId: string): Promise<void> {
  const rows = await tx.$queryRaw<(Row & { state: string })[]>`update devices
    set fencing_number = fencing_number + 1, grace_until = null, phone_id = null,
      state = case state when 'quarantined' then state else 'wiping' end,
      reason = case state when 'quarantined' then reason end
    where phone_id = ${phoneId} returning id, host_id, serial, fencing_number, state`
  const row = rows[0]
  if (row?.state === 'wiping') await addWipe(tx, row.id, row.fencing_number, phoneId)
}

/**
 * Quarantines a phone's device until an operator decides. With `keepsClaim`, the phone keeps the
 * device and its data.
 */
export async function quarantineDevice(
  tx: RawTx,
  phoneId: string,
  reason: string,
  { keepsClaim }: { keepsClaim: boolean },
): Promise<void> {
  // The reason may quote a host or an app.
  const kept = shorten(makeStorable(reason), 1000)
  await tx.$executeRaw`update devices
    set fencing_number = fencing_number + 1, grace_until = null, state = 'quarantined', reason = ${kept},
      phone_id = case when ${keepsClaim}::boolean then phone_id end
    where phone_id = ${phoneId}`
}
