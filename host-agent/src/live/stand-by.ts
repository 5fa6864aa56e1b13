/** Keeps a phone ready to film for viewers of its live links. Used by `grpc/live-handlers.ts`. */
import { type Progress, pause } from '@phonerack/shared'
import { DeviceGone, type Device } from '../device/device.js'

/** Milliseconds between checks of a phone that has disconnected. */
const againMs = 1000

/**
 * Returns when `within` ends, or immediately for a phone without video. Waits for a
 * phone that disconnects.
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
    await pause(againMs, within.signal)
  }
}
