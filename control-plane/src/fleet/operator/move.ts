/** An operator moves a device to the host where its phone is now. docs/decisions/0223 */
import { z } from 'zod'
import { type Tx } from '../../base/db/database.js'
import { lockMove, moveDevice, obstacleOf } from '../hosts/move.js'
import { invalidField } from '../../base/validation/fields.js'
import { changeOf, findDevice, type DeviceView } from './devices.js'
import { findHost } from './hosts.js'
import { type Change, type Work } from '../../base/audit/work.js'

export const moveSchema = z.strictObject({
  /** ID or name of the host. */
  host: z.string().min(1).max(200),
  /** The serial under which the host reports the phone; omitted: the same serial as before. */
  serial: z.string().min(1).max(255).optional(),
  /** The operator vouches for the phone: the phone need not have the device's identity. */
  unproven: z.boolean().default(false),
})
type MoveOrder = z.output<typeof moveSchema>

/**
 * Moves the device immediately, even if its host still reports the phone. The new host then takes over the
 * phone, if the phone has the device's identity or `unproven` is set.
 * @throws ApiError not_found; validation_failed when the host does not report such a phone, or when the
 * device cannot move now
 */
export async function moveDeviceTo(
  work: Work,
  ref: string,
  { host: hostRef, serial, unproven }: MoveOrder,
): Promise<Change<DeviceView>> {
  const { core, tx, now } = work
  const before = await findDevice(tx, ref)
  const targetId = await placeAt(tx, hostRef, serial ?? before.serial)
  if (targetId === before.id) throw invalidField('host', 'is where the device is already')
  const move = await lockMove(tx, before.id, targetId)
  if (!move) throw invalidField('device', 'has changed; check the device and send the request again')
  const obstacle = obstacleOf(move)
  if (obstacle) throw invalidField('device', `cannot be moved: ${obstacle.text}`)
  if (move.device.identityKey === null && !unproven)
    throw invalidField(
      'unproven',
      'must be `true` (`--unproven` of `ctl`), because the device has no identity yet: it gets one with its next wipe. Set it only if you are certain which phone is connected there',
    )
  await moveDevice(core, tx, move, { now, vouched: unproven })
  const phoneId = move.phone?.id
  if (phoneId !== undefined) work.afterCommit(() => core.changes.publish(phoneId))
  return changeOf(work, move.device, { unproven })
}

async function placeAt(tx: Tx, hostRef: string, serial: string): Promise<string> {
  const host = await findHost(tx, hostRef)
  const place = await tx.device.findUnique({ where: { hostId_serial: { hostId: host.id, serial } } })
  if (!place)
    throw invalidField(
      'serial',
      `${serial} is not reported by the host ${host.name}. Connect the phone there first; \`ctl device list\` then shows its serial`,
    )
  return place.id
}
