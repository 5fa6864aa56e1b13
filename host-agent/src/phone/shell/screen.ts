/**
 * Reads the screen by `screencap` and `dumpsys window`. Caches the size for a second, since every
 * tap needs it; a screenshot clears the cache.
 */
import type { Progress } from '@phonerack/shared'
import type { Transport } from '../../adb/transport.js'
import type { Screen, Size } from '../../adb/device/device.js'
import { outputOf } from '../../adb/device/run.js'
import { notUnderstood } from '../../adb/device/unreadable.js'
import { displayInUse, readDisplays } from './displays.js'
import { createScreencap } from './screencap.js'

const cacheMs = 1000

/** Returns the size of the display in use, in the current rotation. Null when the output has another form. */
export function parseSize(output: string): Size | null {
  const [, width, height] = /^[ \t]*init=.*? cur=(\d+)x(\d+)/m.exec(displayInUse(output) ?? '') ?? []
  return width === undefined ? null : { width: Number(width), height: Number(height) }
}

interface CachedScreen extends Screen {
  /** Clears the cache. */
  forget(): void
}

export function createScreen(transport: Transport): CachedScreen {
  const screencap = createScreencap(transport)
  let cached: { size: Size; at: number } | null = null

  async function readSize(progress: Progress): Promise<Size> {
    const startedAt = performance.now()
    const output = outputOf(await transport.shell(readDisplays, progress))
    const size = parseSize(output)
    if (!size) throw notUnderstood('the size of its screen', output)
    cached = { size, at: startedAt }
    return size
  }

  return {
    async size(progress) {
      if (cached && performance.now() - cached.at < cacheMs) return cached.size
      return readSize(progress)
    },
    async png(progress) {
      cached = null
      const png = await screencap(progress)
      // The screen may have rotated in between.
      cached = null
      return png
    },
    forget() {
      cached = null
    },
  }
}
