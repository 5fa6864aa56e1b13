/** Reads the screen for `observe` and for the final observation of a batch. */
import {
  limits,
  systemClock,
  type Changes,
  type Clock,
  type Observation,
  type Progress,
} from '@phonerack/shared'
import type { Device } from '../adb/device/device.js'
import { changesSince } from './changes.js'
import { inParallel } from './in-parallel.js'
import { readFailure } from './errors.js'
import { buildObservation } from './observation.js'
import type { Looks } from './looks.js'
import { makeScreenshot, readPicture, toJson, type ScreenshotOptions } from './screenshot.js'
import type { Snapshots } from './snapshots.js'

/** The screens of one assignment that clients got. */
export interface Shown {
  snapshots: Snapshots
  looks: Looks
}

export interface ObserveOptions {
  /** Default: no picture. */
  screenshot?: ScreenshotOptions | undefined
  /** Reads the tree even if nothing was drawn since the last read. Default: false. */
  fresh?: boolean | undefined
  /**
   * Requests the changes since a snapshot. `since` is null when the client has no snapshot. `isWhole` requests the
   * whole screen in any case.
   */
  changes?: { since: string | null; isWhole: boolean } | undefined
  clock?: Clock | undefined
}

export interface Observed {
  /** A `WholeObservation` when the options have `changes` and the answer has no changes. */
  observation: Observation
  /** The changes, without the picture. */
  changes?: Changes
}

/** Bytes for elements when the answer also includes a picture. */
const elementsBesidePicture = 3_000_000
/** Bytes reserved for the rest of the answer. */
const reserve = 100_000

/**
 * Reads elements, window and, when requested, a picture; saves the elements as a
 * snapshot. The observation is under 4 MB as JSON, picture included.
 * @throws ApiError phone_unavailable, provider_timeout, provider_error
 */
export async function observe(
  device: Device,
  { snapshots, looks }: Shown,
  options: ObserveOptions,
  progress: Progress,
): Promise<Observed> {
  try {
    const { screenshot, fresh, changes } = options
    await looks.settle(device, progress)
    await looks.rest(device, progress)
    const takePicture = async () => (screenshot ? await readPicture(device, progress) : null)
    const [{ tree, window, settled, again }, first] = await inParallel(
      () => looks.look(device, progress, { fresh }),
      takePicture,
    )
    const picture = again ? await takePicture() : first
    const takenAt = (options.clock ?? systemClock).now()
    const whole = limits.screenAnswer - reserve
    const maxBytes = picture ? elementsBesidePicture : whole
    looks.refs.shown(tree)
    const { observation: built, elements } = buildObservation(tree, window, takenAt, maxBytes)
    built.snapshot_id = snapshots.save(elements, tree.window)
    built.settled = settled
    const before = changes?.since && !changes.isWhole ? snapshots.find(changes.since) : null
    const seen = { window: tree.window, elements }
    const answer = changes && changesSince(built, seen, changes.since, before)
    const observation = answer && 'whole' in answer ? answer : built
    if (picture && screenshot) {
      const left = whole - Buffer.byteLength(JSON.stringify(observation))
      observation.screenshot = toJson(await makeScreenshot(picture, screenshot, Math.floor((left * 3) / 4)))
    }
    return { observation, ...(answer && 'same' in answer ? { changes: answer } : {}) }
  } catch (error) {
    throw readFailure(error)
  }
}
