/** Reads the screen that a batch returns. Used by `run-batch.ts`. */
import { limits, type ScreenshotObservation } from '@phonerack/shared'
import { inPart } from '@phonerack/shared/tracing'
import { observe, type Observed } from '../screen/observe.js'
import { logUnreadable } from '../adb/device/unreadable.js'
import { takeScreenshot, toJson, type ScreenshotOptions } from '../screen/screenshot.js'
import type { ActionContext } from './context.js'
import { toApiError } from './failure.js'
import type { BatchRequest } from './run-batch.js'

const picture: ScreenshotOptions = { format: 'jpeg', maxWidth: limits.batchScreenshotWidth }
const readLimitMs = 30_000

/**
 * A batch that stopped early returns an observation in every mode (docs/conformance.md, chapter 30). Undefined when no
 * observation was requested or the screen could not be read.
 */
export function observeAfter(
  request: BatchRequest,
  context: ActionContext,
  stoppedEarly: boolean,
): Promise<Seen> {
  if (request.observe === 'none' && !stoppedEarly) return Promise.resolve(undefined)
  return inPart(
    'observe',
    () => ({}),
    () => read(request, context, stoppedEarly),
  )
}

type Seen = Observed | { observation: ScreenshotObservation } | undefined

async function read(request: BatchRequest, context: ActionContext, stoppedEarly: boolean): Promise<Seen> {
  const { observe: mode, device, snapshots, looks, clock, fresh, changesSince: since } = request
  try {
    await context.settled()
    const progress = request.progress.within(readLimitMs)
    if (mode === 'screenshot' && !stoppedEarly) {
      await looks.rest(device, progress)
      const beganAt = looks.now()
      const shot = await takeScreenshot(device, picture, progress)
      const settled = looks.isStillSince(device, beganAt)
      const taken_at = clock.now().toISOString()
      return { observation: { taken_at, settled, screenshot: toJson(shot) } }
    }
    const screenshot = mode === 'screenshot' || mode === 'both' ? picture : undefined
    const changes = since === undefined ? undefined : { since, isWhole: stoppedEarly }
    return await observe(device, { snapshots, looks }, { screenshot, clock, fresh, changes }, progress)
  } catch (error) {
    // The actions ran, so their results are returned with or without the screen.
    logUnreadable(error, request.log)
    const known = toApiError(error, false)
    if (known) request.log?.warn({ code: known.code }, 'the screen could not be read after a batch')
    else
      request.log?.error(
        { err: error },
        'the read of the screen after a batch failed because of a bug in the agent',
      )
    return undefined
  }
}
