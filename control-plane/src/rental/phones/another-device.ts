/** Replaces the device of a creating phone whose device cannot be used. The phone has no data yet. */
import { type RawTx } from '../../base/db/raw-transaction.js'
import { assignDevice, lockFreeDevice, quarantineDevice, releaseDevice } from '../devices/assignment.js'
import { type Core } from '../../base/core/core.js'
import { addStart } from './open-session.js'
import { type PhoneRecord } from './records.js'

/**
 * Starts the phone on a free device. Quarantines the old device with reason `bad`, or wipes it when `bad` is
 * null. Returns false and changes nothing when no device is free. The caller holds the phone's lock. @param
 * hosts `except`: hosts that refuse work now; `refusedBy`: hosts that the create does not try again
 */
export async function giveAnotherDevice(
  tx: RawTx,
  core: Core,
  phone: PhoneRecord,
  bad: string | null,
  hosts: { except: readonly string[]; refusedBy: readonly string[] } = { except: [], refusedBy: [] },
): Promise<boolean> {
  const now = core.clock.now()
  const free = await lockFreeDevice(tx, {
    now,
    projectId: phone.projectId,
    country: phone.country,
    exceptHosts: hosts.except,
    heardSince: new Date(now.getTime() - core.rules.hostLateAfterMs),
  })
  if (!free) return false
  if (bad === null) await releaseDevice(tx, phone.id)
  else await quarantineDevice(tx, phone.id, bad, { keepsClaim: false })
  const device = await assignDevice(tx, free, phone.id)
  await addStart(tx, phone.id, device.fencingNumber, undefined, hosts.refusedBy)
  return true
}
