/** Adds the job that wipes or enrolls a device, in the transaction of the change that needs it. */
import { type RawTx } from '../../base/db/raw-transaction.js'
import { addJob, assignmentJobKey } from '../../base/queue/queue.js'

/**
 * How the job is added again: the number of counted failures, and when the job runs. Without `runAt` the job
 * runs immediately.
 */
export interface Retry {
  refused: number
  unanswered: number
  runAt?: Date
}

const first: Retry = { refused: 0, unanswered: 0 }

/** @param phoneId the phone whose data is wiped; empty when unknown */
export const addWipe = (
  tx: RawTx,
  deviceId: string,
  fencing: bigint,
  phoneId: string,
  { runAt, ...counts }: Retry = first,
): Promise<void> =>
  addJob(
    tx,
    'device.wipe',
    { deviceId, fencing: fencing.toString(), phoneId, ...counts },
    { ...(runAt ? { runAt } : {}), key: assignmentJobKey('device.wipe', deviceId, fencing) },
  )

export const addEnroll = (
  tx: RawTx,
  deviceId: string,
  fencing: bigint,
  { runAt, ...counts }: Retry = first,
): Promise<void> =>
  addJob(
    tx,
    'device.enroll',
    { deviceId, fencing: fencing.toString(), ...counts },
    { ...(runAt ? { runAt } : {}), key: assignmentJobKey('device.enroll', deviceId, fencing) },
  )

/** Adds the job that a device without a phone needs in its state. */
export const addCare = (
  tx: RawTx,
  deviceId: string,
  state: 'wiping' | 'provisioning',
  fencing: bigint,
  retry?: Retry,
): Promise<void> =>
  state === 'wiping' ? addWipe(tx, deviceId, fencing, '', retry) : addEnroll(tx, deviceId, fencing, retry)
