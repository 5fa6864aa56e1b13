/**
 * Moves a device to another host or serial: its row, its phone and its session. The row of the new place then
 * describes the earlier place. Called by the job that verified a proof, and for operators.
 * docs/decisions/0223
 */
import { type Core } from '../../base/core/core.js'
import { type Tx } from '../../base/db/database.js'
import { type Rules } from '../../base/config/config.js'
import { addWipe } from '../../rental/devices/care.js'
import { isUp } from '../../rental/devices/link.js'
import { type Device, type Host } from '../../gen/prisma/client.js'
import { endRun } from '../../rental/phones/end.js'
import { isRunning } from '../../rental/phones/machine.js'
import { lockPhone, type PhoneRecord } from '../../rental/phones/records.js'
import { addJob } from '../../base/queue/queue.js'
import { isHostSilent } from '../../rental/devices/listened.js'

type PlacedRow = Device & { host: Host }

export interface Move {
  device: PlacedRow
  /** The row of the place where the phone is now. */
  target: PlacedRow
  phone: PhoneRecord | null
}

/**
 * Locks both devices, after the phone and the hosts, and reads them. Null: a device is gone, or its phone
 * changed in the meantime.
 */
export async function lockMove(tx: Tx, deviceId: string, targetId: string): Promise<Move | null> {
  const before = await tx.device.findMany({ where: { id: { in: [deviceId, targetId] } } })
  const held = before.find(({ id }) => id === deviceId)
  if (before.length !== 2 || !held) return null
  const phone = held.phoneId === null ? null : await lockPhone(tx, held.phoneId, 'project and phone')
  const hosts = before.map(({ hostId }) => hostId)
  await tx.$queryRaw`select 1 from hosts where id = any(${hosts}) order by id for update`
  await tx.$queryRaw`select 1 from devices where id = any(${[deviceId, targetId]}) order by id for update`
  const after = await tx.device.findMany({
    where: { id: { in: [deviceId, targetId] } },
    include: { host: true },
  })
  const device = after.find(({ id }) => id === deviceId)
  const target = after.find(({ id }) => id === targetId)
  if (!device || !target || device.phoneId !== held.phoneId) return null
  return hosts.includes(device.hostId) && hosts.includes(target.hostId) ? { device, target, phone } : null
}

/** Why a device cannot move; null: it can. `temporary`: the device can move a moment later. */
export function obstacleOf({ device, target, phone }: Move): { text: string; temporary: boolean } | null {
  const final = (text: string) => ({ text, temporary: false })
  if (device.host.retiredAt || device.state === 'unenrolled' || device.state === 'provisioning')
    return final(`${device.id} is ${device.state}, so there is nothing to move`)
  if (target.host.retiredAt) return final(`the host ${target.host.name} is retired`)
  if (target.phoneId !== null || target.enrolledAt !== null)
    return final(`another device is enrolled as ${target.serial} at ${target.host.name}: ${target.id}`)
  if (target.state !== 'unenrolled' && target.state !== 'quarantined')
    return final(`${target.serial} at ${target.host.name} is ${target.state}`)
  if (phone && isChanging(phone))
    return { text: `${phone.id} is ${phone.status}; try again when it is not`, temporary: true }
  return null
}

/** Why a claim cannot move the device, although an operator can; null: it can. */
export const claimObstacleOf = ({ target, phone }: Move): string | null =>
  phone === null || phone.country === null || phone.country === target.host.country
    ? null
    : `${phone.id} was created for ${phone.country}, and the host ${target.host.name} is in ${target.host.country}; use ctl device move`

/** These states end without a call: each has a deadline. */
const isChanging = ({ status }: PhoneRecord): boolean =>
  status === 'creating' || status === 'starting' || status === 'parking'

/**
 * Whether a device's host does not have the phone now: the host has been silent for as long as ends a
 * session, or its adb server does not list the phone, or has not reached the phone for as long. An ordered
 * restart does not count.
 */
export async function isAway(
  tx: Tx,
  { hostId, link, linkLostAt, graceUntil }: PlacedRow,
  now: Date,
  { hostLostAfterMs }: Rules,
): Promise<boolean> {
  if (await isHostSilent(tx, hostId, now, hostLostAfterMs)) return true
  if (isUp(link) || linkLostAt === null || (graceUntil !== null && graceUntil > now)) return false
  return link === 'absent' || now.getTime() - linkLostAt.getTime() >= hostLostAfterMs
}

/**
 * Moves the device, under the locks of `lockMove`. From the commit on, no call goes to the earlier host, and
 * its reports do not concern the device. An open session ends, and is billed up to the last proof of life at
 * the earlier host. A device without a phone is wiped. @param vouched an operator vouches for the phone
 * @returns the new fencing number
 */
export async function moveDevice(
  core: Core,
  tx: Tx,
  { device, target, phone }: Move,
  { now, vouched }: { now: Date; vouched: boolean },
): Promise<bigint> {
  const proof = lastProofOf(device, now)
  if (phone && isRunning(phone.status))
    await endRun(tx, core.rules, phone, 'lose', {
      at: proof,
      now,
      failure: {
        code: 'phone_unavailable',
        message: 'The phone was connected to another host. Start it again.',
      },
    })
  const { fencingNumber: current } = await tx.device.findUniqueOrThrow({ where: { id: device.id } })
  const number = (current > target.fencingNumber ? current : target.fencingNumber) + 1n
  const nothing = {
    reportFault: null,
    confirmedEpoch: null,
    cleanFor: '',
    custodyRevision: 0n,
    graceUntil: null,

    events: [],
    condition: 'null',
    claimCheckedAt: null,
    claimedSince: null,
    failedAt: null,
    startFailedAt: null,
    movedAwayAt: null,
  }
  // No two rows may have the same place.
  await tx.device.update({ where: { id: target.id }, data: { serial: `moving ${target.id}` } })
  const isIdle = device.phoneId === null && device.state !== 'quarantined'
  await tx.device.update({
    where: { id: device.id },
    data: {
      ...nothing,
      hostId: target.hostId,
      serial: target.serial,
      fencingNumber: number,
      link: target.link,
      linkLostAt: device.linkLostAt ?? now,
      lastProofAt: proof,
      adoptingSince: now,
      vouched,
      ...(isIdle ? { state: 'wiping', reason: null } : {}),
    },
  })
  await tx.device.update({
    where: { id: target.id },
    data: {
      ...nothing,
      hostId: device.hostId,
      serial: device.serial,
      fencingNumber: number,
      state: 'unenrolled',
      link: 'absent',
      linkLostAt: now,
      lastProofAt: proof,
      movedAwayAt: now,
      reason: `its phone moved to ${target.serial} at the host ${target.host.name}`,
    },
  })
  if (isIdle) await addWipe(tx, device.id, number, '')
  await addAdoption(tx, device.id)
  return number
}

export const addAdoption = (tx: Tx, deviceId: string): Promise<void> =>
  addJob(tx, 'device.adopt', { deviceId }, { key: `device.adopt:${deviceId}` })

function lastProofOf({ host, linkLostAt, lastProofAt }: PlacedRow, now: Date): Date {
  const at = linkLostAt === null ? host.lastSeenAt : (lastProofAt ?? linkLostAt)
  return at !== null && at < now ? at : now
}
