/**
 * Applies the devices of a heartbeat to their rows. The fold of a report is a pure function of the report,
 * the row and the epoch, so a device is skipped while its report and its row are the same as in an earlier
 * fold that changed nothing.
 */
import { type DeviceStatus, type Heartbeat } from '@phonerack/shared'
import { type Core } from '../../base/core/core.js'
import { type RawTx } from '../../base/db/raw-transaction.js'
import { judge } from '../../rental/devices/custody.js'
import { isLeftover, isUsedSince, type Claim } from './claims.js'
import {
  addDevice,
  confirm,
  endMovedAway,
  readDeviceRows,
  writeDeviceChange,
  type DeviceRow,
  type KeptRow,
} from './device-rows.js'
import { deviceChange, inOurTime, type KnownHost } from './fold.js'
import { lockChange, type LockChange } from './lock-activity.js'
import { maxDevices } from './read-heartbeat.js'
import { isSameDevice } from './same-report.js'

/** A device whose report changed nothing, with the version of its row. */
interface SettledDevice extends KeptRow {
  status: DeviceStatus
}

/** The settled devices of an agent, by serial, under an epoch of the database. */
export interface Settled {
  epoch: string
  devices: ReadonlyMap<string, SettledDevice>
}

interface Folded {
  /** Phones whose device row changed. */
  phones: string[]
  /** Devices whose custody record differs from the tables. */
  disagreeing: { deviceId: string; report: DeviceStatus }[]
  locks: LockChange[]
  /** True when no row changed, no unreadable field could have changed a row, and no claim waits. */
  isSame: boolean
  /** Devices whose phone claims the identity of another device. */
  claims: Claim[]
  /** Places that a phone has left, while the place's agent does not know of the move. */
  leftovers: string[]
  settled: Map<string, SettledDevice>
  /** The number of the host's devices, provided that the skipped devices still belong to the host. */
  count: number
}

interface FoldContext {
  now: Date
  /** The current epoch of the database. */
  epoch: string
  /** The unreadable fields of each device, by serial. */
  deviceFaults: ReadonlyMap<string, string>
  settled: Settled | null
}

export async function foldDevices(
  core: Core,
  tx: RawTx,
  heartbeat: Heartbeat,
  host: KnownHost & { id: string },
  context: FoldContext,
): Promise<Folded> {
  const { now, epoch, deviceFaults } = context
  const reported = new Map(heartbeat.devices.map((status) => [status.serial, status]))
  const kept = keptDevices(heartbeat, context)
  const rows = await readDeviceRows(tx, host.id, [...kept.values()])
  const isSame = deviceFaults.size === 0
  const folded: Folded = {
    phones: [],
    disagreeing: [],
    locks: [],
    isSame,
    claims: [],
    leftovers: [],
    settled: kept,
    count: 0,
  }
  const changed = new Set(rows.map(({ id }) => id))
  for (const [serial, { id }] of kept) if (changed.has(id)) kept.delete(serial)
  for (const row of rows) {
    const status = reported.get(row.serial) ?? null
    reported.delete(row.serial)
    kept.delete(row.serial)
    const report = status && inOurTime(status, heartbeat.at, now)
    const reportFault = deviceFaults.get(row.serial) ?? null
    const isSettled = await foldDevice(core, tx, folded, row, report, {
      now,
      epoch,
      reportFault,
      host,
      // Until the agent has seen this database's epoch, its report may be older than the database. An
      // incomplete report proves nothing about custody.
      isCurrent: reportFault === null && heartbeat.epoch === epoch,
    })
    if (!isSettled) folded.isSame = false
    else if (status && reportFault === null && heartbeat.epoch === epoch)
      kept.set(row.serial, { id: row.id, version: row.version, status })
  }
  const known = new Set([...changed, ...[...kept.values()].map(({ id }) => id)])
  for (const serial of kept.keys()) reported.delete(serial)
  const added = [...reported.values()].slice(0, Math.max(0, maxDevices - known.size))
  for (const status of added) {
    folded.isSame = false
    await addDevice(tx, host.id, status, deviceFaults.get(status.serial) ?? null, now)
  }
  return { ...folded, count: known.size + added.length }
}

/** The devices of the heartbeat whose reports are settled, by serial. */
function keptDevices(
  heartbeat: Heartbeat,
  { settled, epoch, deviceFaults }: FoldContext,
): Map<string, SettledDevice> {
  const kept = new Map<string, SettledDevice>()
  if (settled?.epoch !== epoch || heartbeat.epoch !== epoch) return kept
  for (const status of heartbeat.devices) {
    const last = settled.devices.get(status.serial)
    if (last && !deviceFaults.has(status.serial) && isSameDevice(last.status, status))
      kept.set(status.serial, { ...last, status })
  }
  return kept
}

interface DeviceContext {
  now: Date
  epoch: string
  host: KnownHost
  reportFault: string | null
  isCurrent: boolean
}

/** Returns true when the report changed nothing, and cannot change anything later either. */
async function foldDevice(
  core: Core,
  tx: RawTx,
  folded: Folded,
  device: DeviceRow,
  report: DeviceStatus | null,
  { now, epoch, host, reportFault, isCurrent }: DeviceContext,
): Promise<boolean> {
  let isSettled = true
  if (isCurrent && report?.identity !== undefined && device.enrolledAt === null) {
    folded.claims.push({ deviceId: device.id, identity: report.identity })
    isSettled = false
  }
  // A missing claim may be over by the next heartbeat.
  if (device.claimedSince !== null) isSettled = false
  if (isCurrent && report && isUsedSince(device, report)) {
    await endMovedAway(tx, device.id)
    isSettled = false
  } else if (isCurrent && report && isLeftover(device, report)) {
    folded.leftovers.push(device.id)
    isSettled = false
  }
  const verdict = report && isCurrent ? judge({ ...device, link: report.link }, report) : null
  if (report && verdict?.kind === 'clean') {
    if (await confirm(tx, device, report, epoch)) isSettled = false
  } else if (report && verdict && verdict.kind !== 'agreed') {
    folded.disagreeing.push({ deviceId: device.id, report })
    isSettled = false
  }
  const change = deviceChange(device, report, host, now)
  if (!change && reportFault === device.reportFault) return isSettled
  // Write only if the state is unchanged since the read: a phone may have been assigned in the meantime.
  if (!(await writeDeviceChange(tx, device, change, reportFault))) return false
  if (reportFault !== null && reportFault !== device.reportFault)
    core.log.warn({ device: device.id, fault: reportFault }, "could not read part of a device's report")
  if (!change) return false
  const lock = lockChange(device, report, now)
  if (lock) folded.locks.push(lock)
  if (device.phoneId) folded.phones.push(device.phoneId)
  return false
}
