/**
 * Takes a screenshot with the refs of its elements drawn on it, and saves the elements as a snapshot. Used by `grpc/`.
 */
import { limits, systemClock, type Progress } from '@phonerack/shared'
import type { Device } from '../adb/device/device.js'
import { inParallel } from './in-parallel.js'
import { readFailure } from './errors.js'
import { marksSvg } from './marks.js'
import { buildObservation } from './observation.js'
import { makeScreenshot, readPicture, type Screenshot, type ScreenshotOptions } from './screenshot.js'
import type { Shown } from './observe.js'

/** @throws ApiError phone_unavailable, provider_timeout, provider_error */
export async function takeAnnotatedScreenshot(
  device: Device,
  { snapshots, looks }: Shown,
  options: ScreenshotOptions,
  progress: Progress,
): Promise<{ shot: Screenshot; snapshotId: string }> {
  try {
    const [{ tree, window }, picture] = await inParallel(
      () => looks.look(device, progress),
      () => readPicture(device, progress),
    )
    looks.refs.shown(tree)
    const { elements } = buildObservation(tree, window, systemClock.now(), limits.screenAnswer)
    const overlay = (size: { width: number; height: number }) =>
      Buffer.from(marksSvg(elements, picture.screen, size))
    const shot = await progress.race('making the screenshot', () =>
      makeScreenshot(picture, { ...options, overlay }, limits.screenAnswer),
    )
    return { shot, snapshotId: snapshots.save(elements, tree.window) }
  } catch (error) {
    throw readFailure(error)
  }
}
