/**
 * Records failed creates of devices. Used by the start job, and when a create is past its deadline.
 * docs/decisions/0224
 */
import { type Core } from '../../base/core/core.js'
import { inTransaction } from '../../base/db/database.js'
import { noteFailure } from '../devices/failures.js'
import { lockPhone } from './records.js'

/**
 * Records that the device failed a create. Returns true when the device must not be quarantined, since other
 * devices of its host fail too. Records nothing when the phone no longer has the device under this number, as
 * after a delete. Runs in a separate transaction: the phone must be locked before the device, and no other
 * device while this device is locked.
 */
export const noteFailedCreate = (
  core: Core,
  phoneId: string,
  device: { id: string; fencingNumber: bigint },
): Promise<boolean> =>
  inTransaction(core.db, async (tx) => {
    const phone = await lockPhone(tx, phoneId, 'phone')
    if (phone?.status !== 'creating') return false
    return noteFailure(tx, device, 'start', core.clock.now(), core.rules.degraded)
  })
