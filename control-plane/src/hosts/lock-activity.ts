/** Writes into a project's activity that one of its phones got, or lost, a screen lock. Called while heartbeats are folded. */
import { type DeviceCondition, type DeviceStatus } from '@phonerack/shared'
import { type Tx } from '../db/database.js'
import { type Device } from '../gen/prisma/client.js'

const lockOf = (condition: unknown): boolean =>
  typeof condition === 'object' &&
  condition !== null &&
  (condition as Partial<DeviceCondition>).lock_credential === true

/**
 * Names the host in place of a key: no request made the change. Counts from what the phone last said, so that a phone
 * that says nothing changes nothing.
 */
export async function recordLockChange(
  tx: Tx,
  device: Device,
  status: DeviceStatus | null,
  now: Date,
): Promise<void> {
  const isSet = status?.condition?.lock_credential
  if (device.phoneId === null || typeof isSet !== 'boolean' || isSet === lockOf(device.condition)) return
  const phone = await tx.phone.findUnique({ where: { id: device.phoneId }, select: { projectId: true } })
  if (!phone) return
  await tx.activity.create({
    data: {
      projectId: phone.projectId,
      keyId: device.hostId,
      requestId: '',
      at: now,
      method: 'DEVICE',
      route: isSet ? 'screen_lock_set' : 'screen_lock_cleared',
      phoneId: device.phoneId,
      status: 0,
      code: null,
      ms: 0,
      summary: isSet ? { warning: 'A screen lock keeps this phone from being wiped. Remove it.' } : {},
    },
  })
}
