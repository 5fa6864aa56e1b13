/** Keeps a standby video server on a phone that has live links. Used by `grpc/live-handlers.ts`. */
import { type Progress, pause } from '@phonerack/shared'
import { DeviceGone, type Device } from '../../adb/device/device.js'

/** Milliseconds between checks of a phone that has disconnected. */
const retryMs = 1000

/**
 * Returns when `within` ends, or immediately for a phone without video. While the phone is disconnected,
 * waits for the phone.
 */
export async function standBy(
  device: (progress: Progress) => Promise<Device>,
  within: Progress,
): Promise<void> {
  while (!within.expired) {
    try {
      const { video } = await device(within)
      if (!video) return
      await video.standBy(within)
    } catch (error) {
      if (!(error instanceof DeviceGone)) throw error
    }
    await pause(retryMs, within.signal)
  }
}
