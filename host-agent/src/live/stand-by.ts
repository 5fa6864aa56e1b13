/** Keeps a phone ready to film for who may come to its live links. Used by `grpc/live-handlers.ts`. */
import { type Progress, pause } from '@phonerack/shared'
import { DeviceGone, type Device } from '../device/device.js'

/** Milliseconds between a phone that went away and the next look at it. */
const againMs = 1000

/** Returns when `within` ends, or at once for a phone that has no video. A phone that goes away is waited for. */
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
