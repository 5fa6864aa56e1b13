/**
 * The rows of a host's devices that a heartbeat is compared with, and the statements that change the rows.
 * Used by `fold-devices.ts`.
 */
import { newId, type DeviceStatus } from '@phonerack/shared'
import { type RawTx } from '../../base/db/raw-transaction.js'
import { type CustodyRow } from '../../rental/devices/custody.js'
import { newDevice, type DeviceChange, type KnownDevice } from './fold.js'

/** The table's check constraint allows no other state. */
export interface DeviceRow extends KnownDevice, CustodyRow {
  hostId: string
  reportFault: string | null
  movedAwayAt: Date | null
  /** The transaction that wrote the row, which changes with each change of the row. */
  version: string
}

/** A row that is not read again while it has this version. */
export interface KeptRow {
  id: string
  version: string
}

/** The devices of a host in the order of their IDs, except for `kept`. */
export const readDeviceRows = (
  tx: RawTx,
  hostId: string,
  kept: readonly KeptRow[],
): Promise<DeviceRow[]> => tx.$queryRaw`select d.id, d.host_id as "hostId", d.serial, d.state, d.link,
      d.link_lost_at as "linkLostAt", d.last_proof_at as "lastProofAt", d.enrolled_at as "enrolledAt",
      d.fencing_number as "fencingNumber", d.phone_id as "phoneId", d.maker, d.model, d.sdk, d.reason,
      d.report_fault as "reportFault", d.claimed_since as "claimedSince", d.claim_checked_at as "claimCheckedAt",
      d.moved_away_at as "movedAwayAt", d.adopting_since as "adoptingSince", d.confirmed_epoch as "confirmedEpoch",
      d.clean_for as "cleanFor", d.custody_revision as "custodyRevision", d.events, d.condition, d.xmin::text as version
    from devices d where d.host_id = ${hostId} and not exists (
      select 1 from unnest(${kept.map(({ id }) => id)}::text[], ${kept.map(({ version }) => version)}::text[])
        as kept (id, version) where kept.id = d.id and kept.version = d.xmin::text)
    order by d.id`

/** Converts a value for a JSON column; null leaves the column unchanged. */
const json = (value: unknown): string | null => (value === undefined ? null : JSON.stringify(value))

/**
 * Writes a report's change, and the fields of the report that could not be read. Returns false when the
 * device has another state than `row`: an assignment was made in the meantime.
 */
export async function writeDeviceChange(
  tx: RawTx,
  { id, state }: Pick<DeviceRow, 'id' | 'state'>,
  change: DeviceChange | null,
  reportFault: string | null,
): Promise<boolean> {
  if (!change)
    return (
      (await tx.$executeRaw`update devices set report_fault = ${reportFault} where id = ${id} and state = ${state}`) >
      0
    )
  const count =
    await tx.$executeRaw`update devices set report_fault = ${reportFault}, state = ${change.state},
      link = ${change.link}, link_lost_at = ${change.linkLostAt}, last_proof_at = ${change.lastProofAt},
      maker = ${change.maker}, model = ${change.model}, sdk = ${change.sdk}, reason = ${change.reason},
      freed_at = coalesce(${change.freedAt ?? null}::timestamptz, freed_at),
      events = coalesce(${json(change.events)}::jsonb, events),
      condition = coalesce(${json(change.condition)}::jsonb, condition),
      claimed_since = case when ${change.claimedSince === null}::boolean then null else claimed_since end
    where id = ${id} and state = ${state}`
  return count > 0
}

/** Notes that another phone has been used at the place that a device left. */
export async function endMovedAway(tx: RawTx, id: string): Promise<void> {
  await tx.$executeRaw`update devices set moved_away_at = null where id = ${id}`
}

export async function addDevice(
  tx: RawTx,
  hostId: string,
  status: DeviceStatus,
  reportFault: string | null,
  now: Date,
): Promise<void> {
  const row = newDevice(status, now)
  await tx.$executeRaw`insert into devices (id, host_id, serial, state, link, link_lost_at, last_proof_at, fencing_number,
      maker, model, sdk, reason, report_fault, events, condition)
    values (${newId('device')}, ${hostId}, ${row.serial}, ${row.state}, ${row.link}, ${row.linkLostAt}, ${row.lastProofAt},
      ${row.fencingNumber}, ${row.maker}, ${row.model}, ${row.sdk}, ${row.reason}, ${reportFault},
      coalesce(${json(row.events)}::jsonb, '[]'), coalesce(${json(row.condition)}::jsonb, 'null'))`
}

/**
 * Stores the agent's statement that an idle device is clean, and for which tenant. Returns false when the
 * statement is already stored.
 */
export async function confirm(
  tx: RawTx,
  device: Pick<DeviceRow, 'id' | 'state' | 'fencingNumber' | 'confirmedEpoch' | 'cleanFor'>,
  { custody }: Pick<DeviceStatus, 'custody'>,
  epoch: string,
): Promise<boolean> {
  if (!custody) return false
  const { clean_for: cleanFor, revision } = custody
  if (device.confirmedEpoch === epoch && device.cleanFor === cleanFor) return false
  await tx.$executeRaw`update devices set confirmed_epoch = ${epoch}, clean_for = ${cleanFor},
      custody_revision = ${revision} where id = ${device.id} and state = ${device.state}
      and fencing_number = ${device.fencingNumber}`
  return true
}
