/** What an operator does with devices: take one in, and decide about one that is held back. */
import { ApiError } from '@phonerack/shared'
import { addWipe } from '../devices/assignment.js'
import { inTransaction } from '../db/database.js'
import { type Device, type Host } from '../gen/prisma/client.js'
import { addJob, careKey } from '../jobs/queue.js'
import { type Core } from '../phones/core.js'
import { failPhone } from '../phones/run.js'
import { invalidField } from './input.js'
import { hostState } from './views.js'

export type PlacedDevice = Device & { host: Host }

/**
 * By `dev_` ID or serial.
 * @throws ApiError not_found; validation_failed when several hosts have the serial
 */
export async function findDevice(core: Core, ref: string): Promise<PlacedDevice> {
  const found = await core.db.device.findMany({
    where: ref.startsWith('dev_') ? { id: ref } : { serial: ref },
    include: { host: true },
    take: 2,
  })
  if (found.length > 1) throw invalidField('ref', 'names devices of several hosts; use the device ID')
  const device = found[0]
  if (!device)
    throw new ApiError('not_found', { message: 'There is no such device.', details: { device: ref } })
  return device
}

/** Begins to take a device in: from here on it is erased. */
export async function enrollDevice(core: Core, ref: string): Promise<PlacedDevice> {
  const device = await findDevice(core, ref)
  await inTransaction(core.db, async (tx) => {
    const rows = await tx.$queryRaw<{ fencing_number: bigint }[]>`update devices
      set state = 'provisioning', reason = null, fencing_number = fencing_number + 1
      where id = ${device.id} and state = 'unenrolled' and link in ('unenrolled', 'healthy', 'busy') returning fencing_number`
    const fencing = rows[0]?.fencing_number
    if (fencing === undefined) {
      throw invalidField('device', `cannot be enrolled while it is ${device.state} (link ${device.link})`)
    }
    const payload = { deviceId: device.id, fencing: fencing.toString() }
    await addJob(tx, 'device.enroll', payload, { key: careKey('device.enroll', device.id, fencing) })
  })
  core.log.info(
    { audit: 'device.enroll', device: device.id, serial: device.serial },
    'an operator enrols a device',
  )
  return findDevice(core, device.id)
}

/**
 * Wipes and verifies a quarantined device again; a phone that it still holds fails. With `keep`, gives it back to that
 * phone as it is. Fails the phone of a lost host.
 */
export async function releaseHeldDevice(core: Core, ref: string, keep: boolean): Promise<PlacedDevice> {
  const device = await findDevice(core, ref)
  if (keep) await giveBack(core, device)
  else if (device.state === 'quarantined') await wipeAgain(core, device)
  else if (device.state === 'assigned' && device.phoneId !== null) await giveUp(core, device, device.phoneId)
  else throw invalidField('device', `cannot be released while it is ${device.state}`)
  core.log.info(
    { audit: 'device.release', device: device.id, was: device.state, keep },
    'an operator releases a device',
  )
  return findDevice(core, device.id)
}

async function giveBack(core: Core, device: PlacedDevice): Promise<void> {
  const { count } = await core.db.device.updateMany({
    where: { id: device.id, state: 'quarantined', phoneId: { not: null } },
    data: { state: 'assigned', reason: null },
  })
  if (count === 0) throw invalidField('keep', 'is for a device that is held back and holds a phone')
}

async function wipeAgain(core: Core, device: PlacedDevice): Promise<void> {
  if (device.phoneId !== null) await failPhone(core, device.phoneId, 'The operator gave the device up.')
  // One that never passed its enrolment goes through all of it again.
  const state = device.enrolledAt ? 'wiping' : 'provisioning'
  await inTransaction(core.db, async (tx) => {
    const rows = await tx.$queryRaw<{ fencing_number: bigint }[]>`update devices
      set state = ${state}, reason = null, fencing_number = fencing_number + 1
      where id = ${device.id} and state = 'quarantined' returning fencing_number`
    const fencing = rows[0]?.fencing_number
    if (fencing === undefined) return
    if (state === 'wiping') return addWipe(tx, device.id, fencing, '')
    const payload = { deviceId: device.id, fencing: fencing.toString() }
    await addJob(tx, 'device.enroll', payload, { key: careKey('device.enroll', device.id, fencing) })
  })
}

async function giveUp(core: Core, device: PlacedDevice, phoneId: string): Promise<void> {
  const state = hostState(device.host, core.clock.now(), core.rules)
  if (state !== 'lost' && state !== 'retired') {
    throw invalidField('device', `holds ${phoneId} on a host that is ${state}; delete the phone instead`)
  }
  await failPhone(core, phoneId, 'The operator gave the device up.')
}
