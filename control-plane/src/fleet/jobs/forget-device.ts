/**
 * Job `device.forget`: tells a host that was unreachable when a device moved away from it to stop using the
 * phone. The next heartbeat that shows a use adds the job again. docs/decisions/0223
 */
import { type ForgetDeviceRequest, type ForgetDeviceResponse } from '@phonerack/proto'
import { Progress } from '@phonerack/shared'
import { placeDevice, type JobContext } from '../../phone-io/device-control/placed-device.js'
import { CallFailure, callHost } from '../../links/host-calls/calls.js'
import { type JobPayload } from '../../base/queue/queue.js'

/** Milliseconds. */
const callMs = 20_000

export async function forgetDeviceJob(
  context: JobContext,
  { deviceId }: JobPayload<'device.forget'>,
): Promise<void> {
  const device = await placeDevice(context, { id: deviceId })
  if (device?.state !== 'unenrolled' || !device.connection) return
  const { connection, serial, fencingNumber, hostId } = device
  try {
    await context.slots.run(hostId, 'short', () =>
      callHost<ForgetDeviceRequest, ForgetDeviceResponse>(
        connection,
        (client, ...rest) => client.forgetDevice(...rest),
        { serial, fencingNumber },
        Progress.for(callMs, context.stopping),
      ),
    )
    context.core.log.info({ device: deviceId, host: hostId }, 'informed a host that a device moved away')
  } catch (error) {
    if (!(error instanceof CallFailure)) throw error
    context.core.log.warn(
      { device: deviceId, err: error },
      'could not inform a host that a device moved away',
    )
  }
}
