/** Reads the element tree of a phone as it is now. */
import type { Progress } from '@phonerack/shared'
import type { Device } from '../device/device.js'
import { atOnce } from './at-once.js'
import { buildTree, type ScreenTree } from './elements.js'
import { ScreenXmlError } from './errors.js'
import { parseNodes } from './nodes.js'

/** A tree that is empty or broken is often whole a moment later: a window was just changing. */
const tries = 3
const pauseMs = 300
/** A phone that took longer to say nothing (its screen never rests) would only take as long again. */
const patienceMs = 5000

/** @throws ScreenXmlError after broken answers; ApiError, DeviceGone, DeadlineExceeded */
export async function readTree(device: Device, progress: Progress): Promise<ScreenTree> {
  const startedAt = performance.now()
  for (let attempt = 1; ; attempt += 1) {
    const [xml, screen] = await atOnce(
      () => device.ui.source(progress),
      () => device.screen.size(progress),
    )
    try {
      return buildTree(parseNodes(xml), screen)
    } catch (error) {
      const again = attempt < tries && performance.now() - startedAt < patienceMs
      if (!(error instanceof ScreenXmlError) || !again) throw error
      await progress.sleep(pauseMs, 'reading the screen again')
    }
  }
}
