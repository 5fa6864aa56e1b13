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

/** @throws ScreenXmlError after three broken answers; DeviceGone, DeadlineExceeded */
export async function readTree(device: Device, progress: Progress): Promise<ScreenTree> {
  for (let attempt = 1; ; attempt += 1) {
    const [xml, screen] = await atOnce(
      () => device.ui.source(progress),
      () => device.screen.size(progress),
    )
    try {
      return buildTree(parseNodes(xml), screen)
    } catch (error) {
      if (!(error instanceof ScreenXmlError) || attempt === tries) throw error
      await progress.sleep(pauseMs, 'reading the screen again')
    }
  }
}
