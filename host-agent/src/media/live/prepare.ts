/** Captures a phone's video before the first viewer arrives. Used by `grpc/live-handlers.ts`. */
import { type Progress, pause } from '@phonerack/shared'
import type { CaptureListener } from '../../adb/device/capture.js'
import type { Device } from '../../adb/device/device.js'

/**
 * Returns when `within` ends, or when the video stops permanently.
 * @throws DeviceGone, DeadlineExceeded when the video does not start
 */
export async function prepare(
  device: (progress: Progress) => Promise<Device>,
  within: Progress,
): Promise<void> {
  const { video } = await device(within)
  if (!video) return
  const over = new AbortController()
  const nobody: CaptureListener = {
    onConfig: () => undefined,
    onPacket: () => undefined,
    onEnd: () => over.abort(),
  }
  const subscription = await video.subscribe(nobody, within, 'last')
  try {
    await pause(within.remaining, AbortSignal.any([within.signal, over.signal]))
  } finally {
    subscription.close()
  }
}
