/** Adds the job that wipes or enrolls a device, in the transaction of the change that needs it. */
import { type Tx } from '../db/database.js'
import { addJob, assignmentJobKey } from '../queue/queue.js'

/** How it is ordered again: after how many failures that count, and when; without `runAt`: immediately. */
export interface Again {
  refused: number
  unanswered: number
  runAt?: Date
}

const first: Again = { refused: 0, unanswered: 0 }

/** @param phoneId the phone whose data are wiped; empty when unknown */
export const addWipe = (
  tx: Tx,
  deviceId: string,
  fencing: bigint,
  phoneId: string,
  { runAt, ...counts }: Again = first,
): Promise<void> =>
  addJob(
    tx,
    'device.wipe',
    { deviceId, fencing: fencing.toString(), phoneId, ...counts },
    { ...(runAt ? { runAt } : {}), key: assignmentJobKey('device.wipe', deviceId, fencing) },
  )

export const addEnroll = (
  tx: Tx,
  deviceId: string,
  fencing: bigint,
  { runAt, ...counts }: Again = first,
): Promise<void> =>
  addJob(
    tx,
    'device.enroll',
    { deviceId, fencing: fencing.toString(), ...counts },
    { ...(runAt ? { runAt } : {}), key: assignmentJobKey('device.enroll', deviceId, fencing) },
  )

/** Adds the job that a device without a phone needs in its state. */
export const addCare = (
  tx: Tx,
  deviceId: string,
  state: 'wiping' | 'provisioning',
  fencing: bigint,
  again?: Again,
): Promise<void> =>
  state === 'wiping' ? addWipe(tx, deviceId, fencing, '', again) : addEnroll(tx, deviceId, fencing, again)
