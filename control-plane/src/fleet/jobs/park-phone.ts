/**
 * Job `phone.park`: asks the host agent to park the device. An unreachable agent, or one whose other calls
 * hang, does not delay the park: the fencing number is raised already, and the agent learns it at the next
 * start.
 */
import { assignmentOf } from '../../rental/devices/placement.js'
import { type ParkPhoneRequest, type ParkPhoneResponse } from '@phonerack/proto'
import { Progress } from '@phonerack/shared'
import { CallFailure, callHost } from '../../links/host-calls/calls.js'
import { refusalIn, settleRefusal } from '../hosts/settle-device.js'
import { readPhone } from '../../rental/phones/records.js'
import { becomeParked } from '../../rental/phones/run.js'
import {
  placeDevice,
  type JobContext,
  type PlacedDevice,
} from '../../phone-io/device-control/placed-device.js'
import { turnMs } from '../../base/queue/host-slots.js'
import { assignmentJobKey, type JobPayload } from '../../base/queue/queue.js'
import { reschedule } from '../../base/queue/retry.js'

/** Milliseconds per try; there are two. */
const tryMs = 10_000
/**
 * Milliseconds between two attempts to get a slot, and the number of attempts. Together they take about as
 * long as the two tries.
 */
const turns = { longestMs: 1000, most: 20 }

export async function parkPhoneJob(context: JobContext, payload: JobPayload<'phone.park'>): Promise<void> {
  const { core } = context
  const { phoneId } = payload
  const status = (await readPhone(core.read, phoneId))?.status
  // `unavailable`: the host was drained. The device is parked too, and the phone keeps the status.
  if (status !== 'parking' && status !== 'unavailable') return
  const device = await placeDevice(context, { phoneId })
  if (device && device.fencingNumber.toString() !== payload.fencing) return
  if (device?.connection) {
    const outcome = await context.slots.run(device.hostId, 'short', () => putToRest(context, phoneId, device))
    if (outcome === 'settled') return
    if (outcome === 'turn' && payload.turns < turns.most) {
      const ms = turnMs(payload.turns, turns.longestMs)
      const key = assignmentJobKey('phone.park', phoneId, payload.fencing)
      return reschedule(context, 'phone.park', { ...payload, turns: payload.turns + 1 }, ms, { key })
    }
    if (outcome === 'turn')
      core.log.warn(
        { phone: phoneId, device: device.id },
        'a phone is parked without a call to its busy host',
      )
  }
  await becomeParked(core, phoneId)
}

/**
 * `settled`: the host no longer has the phone's data, and its refusal has decided the phone's
 * state.
 */
async function putToRest(
  context: JobContext,
  phoneId: string,
  device: PlacedDevice,
): Promise<'done' | 'settled'> {
  for (let attempt = 1; attempt <= 2 && device.connection; attempt += 1) {
    try {
      await callHost<ParkPhoneRequest, ParkPhoneResponse>(
        device.connection,
        (client, ...rest) => client.parkPhone(...rest),
        { assignment: assignmentOf(phoneId, device, '') },
        Progress.for(tryMs, context.stopping),
      )
      return 'done'
    } catch (error) {
      if (!(error instanceof CallFailure)) throw error
      context.core.log.warn(
        { phone: phoneId, device: device.id, err: error, attempt },
        'could not prepare a device for parking',
      )
      // A parked status would suggest that the phone's data is kept.
      const refusal = refusalIn(error.answer?.details)
      if (refusal?.reason === 'data_wiped') {
        const isSettled = await settleRefusal(context.core, device.id, device.fencingNumber, refusal)
        return isSettled ? 'settled' : 'done'
      }
    }
  }
  return 'done'
}
