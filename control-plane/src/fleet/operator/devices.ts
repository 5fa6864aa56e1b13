/** Operators' changes of devices: an enrolment, and the release of a quarantined device. */
import { ApiError } from '@phonerack/shared'
import { addCare, addEnroll } from '../../rental/devices/care.js'
import { isForgotten } from '../../rental/devices/link.js'
import { type Facts } from '../../base/db/audit-log.js'
import { type Tx } from '../../base/db/database.js'
import { type Device, type Host } from '../../gen/prisma/client.js'
import { lockPhone } from '../../rental/phones/records.js'
import { failPhoneIn } from '../../rental/phones/run.js'
import { invalidField } from '../../base/validation/fields.js'
import { deviceView, hostState } from './views.js'
import { type Change, type Work } from '../../base/audit/work.js'

export type PlacedDevice = Device & { host: Host }
export type DeviceView = ReturnType<typeof deviceView>

/**
 * Finds a device by `dev_` ID, or by serial at a host that is not retired. @throws ApiError not_found; validation_failed when several
 * hosts have the serial
 */
export async function findDevice(db: Pick<Tx, 'device'>, ref: string): Promise<PlacedDevice> {
  const found = await db.device.findMany({
    where: ref.startsWith('dev_') ? { id: ref } : { serial: ref, host: { retiredAt: null } },
    include: { host: true },
    take: 2,
  })
  if (found.length > 1) throw invalidField('ref', 'matches devices on several hosts; use the device ID')
  const device = found[0]
  if (!device)
    throw new ApiError('not_found', { message: 'There is no such device.', details: { device: ref } })
  return device
}

/**
 * Locks the device, after its phone and its host, and reads it under the lock. @throws ApiError like
 * `findDevice`; validation_failed when its phone changed before the lock
 */
export async function lockDevice(tx: Tx, ref: string): Promise<PlacedDevice> {
  const { id, phoneId, hostId } = await findDevice(tx, ref)
  if (phoneId !== null) await lockPhone(tx, phoneId, 'project and phone')
  await tx.$queryRaw`select 1 from hosts where id = ${hostId} for update`
  await tx.$queryRaw`select 1 from devices where id = ${id} for update`
  const device = await findDevice(tx, id)
  // The new phone must be locked first, so this transaction cannot continue.
  if (device.phoneId !== null && device.phoneId !== phoneId)
    throw invalidField(
      'device',
      'has been assigned to another phone; check the device and send the request again',
    )
  return device
}

/**
 * Begins an enrolment, which erases the device. The device may also be known only to this database or only to
 * its host, since either may have been restored or have lost its records.
 * @param failPhone the phone that holds the device, and that fails
 */
export async function enrollDevice(
  work: Work,
  ref: string,
  failPhone: string | null = null,
): Promise<Change<DeviceView>> {
  const { tx } = work
  const device = await lockDevice(tx, ref)
  if (device.host.retiredAt)
    throw invalidField(
      'device',
      'is at a retired host; connect the phone to another host and enroll it there',
    )
  if (isForgotten(device) && device.phoneId !== failPhone)
    throw invalidField(
      'fail_phone',
      device.phoneId === null
        ? 'must be left out, since the device holds no phone'
        : `must be ${device.phoneId}, which the device holds and which fails, to confirm that its data is lost`,
    )
  if (isForgotten(device) && device.phoneId !== null) await fail(work, device.phoneId, forgotten)
  const rows = await tx.$queryRaw<{ fencing_number: bigint }[]>`update devices
    set state = 'provisioning', reason = null, fencing_number = fencing_number + 1, disputes = 0, wipe_only = false,
      failed_starts = 0
    where id = ${device.id} and phone_id is null and (
      state = 'unenrolled' and link in ('unenrolled', 'healthy', 'busy')
      or state in ('offline', 'quarantined', 'wiping') and link = 'unenrolled') returning fencing_number`
  const fencing = rows[0]?.fencing_number
  if (fencing === undefined)
    throw invalidField('device', `cannot be enrolled while it is ${device.state} (link ${device.link})`)
  await addEnroll(tx, device.id, fencing)
  return changeOf(work, device, {})
}

const forgotten = 'The host no longer has a record of the phone, and an operator enrolled its device again.'

/**
 * Wipes and verifies a quarantined device again, and fails a phone that still holds it. With
 * `keep`, returns it to that phone unchanged. Fails the phone of a lost host.
 */
export async function releaseHeldDevice(work: Work, ref: string, keep: boolean): Promise<Change<DeviceView>> {
  const { tx } = work
  const device = await lockDevice(tx, ref)
  if (keep) await giveBack(tx, device)
  else if (device.state === 'quarantined') await wipeAgain(work, device)
  else if (device.state === 'assigned' && device.phoneId !== null) await giveUp(work, device, device.phoneId)
  else throw invalidField('device', `cannot be released while it is ${device.state}`)
  return changeOf(work, device, { keep })
}

/** The facts about a device for the audit log, without probes and checks, which operators do not change. */
export const factsOf = (device: PlacedDevice): Facts => ({
  serial: device.serial,
  host_id: device.hostId,
  state: device.state,
  reason: device.reason,
  phone_id: device.phoneId,
  fencing_number: Number(device.fencingNumber),
  drain_until: device.drainUntil?.toISOString() ?? null,
  maintenance: device.maintenanceNote,
})

export async function changeOf(
  { core, tx, now }: Work,
  before: PlacedDevice,
  more: Record<string, unknown>,
): Promise<Change<DeviceView>> {
  const after = await findDevice(tx, before.id)
  return {
    result: deviceView(after, now, core.rules),
    target: before.id,
    before: factsOf(before),
    after: { ...factsOf(after), ...more },
  }
}

async function giveBack(tx: Tx, device: PlacedDevice): Promise<void> {
  if (device.state !== 'quarantined' || device.phoneId === null)
    throw invalidField('keep', 'applies only to a quarantined device that holds a phone')
  if (device.wipeOnly)
    throw invalidField(
      'keep',
      `does not help here, because ${device.reason ?? 'its host refuses the phone.'} Release the device without \`keep\`.`,
    )
  await tx.device.update({
    where: { id: device.id },
    data: { state: 'assigned', reason: null, disputes: 0, failedStarts: 0 },
  })
}

async function wipeAgain(work: Work, device: PlacedDevice): Promise<void> {
  const { tx } = work
  if (device.phoneId !== null) await fail(work, device.phoneId)
  // A device that never completed its enrolment repeats the whole enrolment.
  const state = device.enrolledAt ? 'wiping' : 'provisioning'
  const rows = await tx.$queryRaw<{ fencing_number: bigint }[]>`update devices
    set state = ${state}, reason = null, fencing_number = fencing_number + 1, disputes = 0, wipe_only = false,
      failed_starts = 0
    where id = ${device.id} and state = 'quarantined' returning fencing_number`
  const fencing = rows[0]?.fencing_number
  if (fencing === undefined) throw new Error('a locked device changed its state')
  await addCare(tx, device.id, state, fencing)
}

async function giveUp(work: Work, device: PlacedDevice, phoneId: string): Promise<void> {
  const state = hostState(device.host, work.now, work.core.rules)
  if (state !== 'lost' && state !== 'retired') {
    throw invalidField('device', `holds ${phoneId} on a host that is ${state}; delete the phone instead`)
  }
  await fail(work, phoneId)
}

async function fail(
  { core, tx, afterCommit }: Work,
  phoneId: string,
  message = 'An operator gave up the device.',
): Promise<void> {
  if (await failPhoneIn(tx, core, phoneId, message)) afterCommit(() => core.changes.publish(phoneId))
}
