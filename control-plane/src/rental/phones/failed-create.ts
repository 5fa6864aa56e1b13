/** Notes creates that a phone failed. Used by the start job, and when a create is past its deadline. docs/decisions/0224 */
import { type Core } from '../../base/core/core.js'
import { inTransaction } from '../../base/db/database.js'
import { noteFailure } from '../devices/failures.js'
import { lockPhone } from './records.js'

/**
 * Notes that the device failed a create. Returns true when it must not be quarantined, since other devices of its host fail too.
 * Notes nothing when the phone no longer has the device under this number, as after a delete. In its own transaction: the phone is
 * locked before the device, and no other device while this one is locked.
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
