/**
 * Operators take hosts and devices out of service: drain, undrain and maintenance.
 */
import { z } from 'zod'
import { type Facts } from '../../base/db/audit-log.js'
import { type Tx } from '../../base/db/database.js'
import { isRunning } from '../../rental/phones/machine.js'
import { findPhone } from '../../rental/phones/records.js'
import { invalidField, noteSchema } from '../../base/validation/fields.js'
import { changeOf, lockDevice, type DeviceView, type PlacedDevice } from './devices.js'
import { findHost, readHost, type HostView } from './hosts.js'
import { type Change, type Work } from '../../base/audit/work.js'

/** Seconds. */
const deadline = { default: 1800, max: 604_800 }

export const drainSchema = z.strictObject({
  /** Seconds until running phones become unavailable. */
  deadline_seconds: z.int().min(0).max(deadline.max).default(deadline.default),
})
export type Drain = z.output<typeof drainSchema>

export const maintenanceSchema = z.strictObject({ note: noteSchema })

const drainFrom = (now: Date, { deadline_seconds: seconds }: Drain) => ({
  drainedAt: now,
  drainUntil: new Date(now.getTime() + seconds * 1000),
})
const noDrain = { drainedAt: null, drainUntil: null }

/** Stops new work on a host. A repeated call sets a new deadline. */
export const drainHost = (work: Work, ref: string, drain: Drain): Promise<Change<HostView>> =>
  changeHost(work, ref, async ({ tx, now }, { id, drainedAt }) => {
    const { drainUntil } = drainFrom(now, drain)
    await tx.host.update({ where: { id }, data: { drainedAt: drainedAt ?? now, drainUntil } })
    // A create that has already locked a device commits first, so no create commits after the drain.
    await tx.$queryRaw`select 1 from devices where host_id = ${id} order by id for update`
  })

export const undrainHost = (work: Work, ref: string): Promise<Change<HostView>> =>
  changeHost(work, ref, async ({ tx }, { id }) => {
    await tx.host.update({ where: { id }, data: noDrain })
    await restartSilence(tx, id)
  })

type Act = (work: Work, host: { id: string; drainedAt: Date | null }) => Promise<void>

async function changeHost(work: Work, ref: string, act: Act): Promise<Change<HostView>> {
  const { core, tx, now } = work
  const { id } = await findHost(tx, ref)
  await tx.$queryRaw`select 1 from hosts where id = ${id} for update`
  const host = await tx.host.findUniqueOrThrow({ where: { id } })
  if (host.retiredAt) throw invalidField('host', 'is retired')
  const before = await readHost(tx, id, now, core.rules)
  await act(work, host)
  const after = await readHost(tx, id, now, core.rules)
  return { result: after, target: id, before: factsOf(before), after: factsOf(after) }
}

const factsOf = ({ name, state, running, drained_at, drain_until }: HostView): Facts => ({
  name,
  state,
  running,
  drained_at,
  drain_until,
})

/** Drains one device, like `drainHost`. */
export const drainDevice = (work: Work, ref: string, drain: Drain): Promise<Change<DeviceView>> =>
  changeDevice(work, ref, ({ tx, now }, { id, drainedAt }) => {
    const { drainUntil } = drainFrom(now, drain)
    return tx.device.update({ where: { id }, data: { drainedAt: drainedAt ?? now, drainUntil } })
  })

export const undrainDevice = (work: Work, ref: string): Promise<Change<DeviceView>> =>
  changeDevice(work, ref, ({ tx }, { id }) => backInService(tx, id, noDrain))

/**
 * Keeps a device out of the pool. Refused while a phone uses the device, unless the device is drained and the
 * phone is stopped.
 */
export const beginMaintenance = (work: Work, ref: string, note: string): Promise<Change<DeviceView>> =>
  changeDevice(work, ref, async ({ tx, now }, device) => {
    await refuseInUse(tx, device)
    const data = { maintenanceAt: device.maintenanceAt ?? now, maintenanceNote: note }
    return tx.device.update({ where: { id: device.id }, data })
  })

export const endMaintenance = (work: Work, ref: string): Promise<Change<DeviceView>> =>
  changeDevice(work, ref, ({ tx }, { id }) =>
    backInService(tx, id, { maintenanceAt: null, maintenanceNote: null }),
  )

async function refuseInUse(tx: Tx, { id, phoneId, drainedAt, host }: PlacedDevice): Promise<void> {
  if (phoneId === null) return
  const phone = await findPhone(tx, phoneId)
  const isDrained = drainedAt !== null || host.drainedAt !== null
  if (isDrained && phone && !isRunning(phone.status)) return
  throw invalidField(
    'device',
    isDrained
      ? `still runs ${phoneId}; wait until the deadline of its drain`
      : `is in use by ${phoneId}; drain it first: ./scripts/ctl device drain ${id}`,
  )
}

async function changeDevice(
  work: Work,
  ref: string,
  act: (work: Work, device: PlacedDevice) => Promise<unknown>,
): Promise<Change<DeviceView>> {
  const device = await lockDevice(work.tx, ref)
  await act(work, device)
  return changeOf(work, device, {})
}

const backInService = async (tx: Tx, id: string, data: object): Promise<void> => {
  await tx.device.update({ where: { id }, data })
  await tx.$executeRaw`update devices set link_lost_at_listened_ms = (select total_ms from listened)
    where id = ${id}`
}

/** Silence during a drain does not count towards the loss of the host's phones. */
async function restartSilence(tx: Tx, hostId: string): Promise<void> {
  await tx.$executeRaw`update hosts set heard_at_listened_ms = (select total_ms from listened)
    where id = ${hostId}`
  await tx.$executeRaw`update devices set link_lost_at_listened_ms = (select total_ms from listened)
    where host_id = ${hostId}`
}
