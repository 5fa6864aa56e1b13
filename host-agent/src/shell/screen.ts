/**
 * Reads the screen by `screencap` and `wm`. Caches the size for a second, since every
 * tap needs it; a screenshot clears the cache.
 */
import { ApiError, type Progress } from '@phonerack/shared'
import { command, pipe, sequence } from '../adb/quote.js'
import type { Transport } from '../adb/transport.js'
import type { Screen, Size } from '../device/device.js'
import { commandFailed } from '../device/run.js'

const cacheMs = 1000

/** Includes the current rotation; `wm size` alone does not. */
export const sizeCommand = sequence(
  command('wm', 'size'),
  pipe(
    command('dumpsys', 'window', 'displays'),
    command('grep', '-E', 'cur=[0-9]+x[0-9]+|mCurrentRotation=|mRotation='),
  ),
)

/**
 * The size in the current rotation, from the output of `sizeCommand`: `cur=WxH` of the
 * default display, else the override or physical size of `wm size`, rotated. Null when
 * the output has neither.
 */
export function parseSize(output: string): Size | null {
  const current = /\bcur=(\d+)x(\d+)/.exec(output)
  if (current) return sized(current[1], current[2])
  const base = /Override size: (\d+)x(\d+)/.exec(output) ?? /Physical size: (\d+)x(\d+)/.exec(output)
  if (!base) return null
  const turned = /m(?:Current)?Rotation=(?:ROTATION_)?(?:90|270|1|3)\b/.test(output)
  return turned ? sized(base[2], base[1]) : sized(base[1], base[2])
}

const sized = (width: string | undefined, height: string | undefined): Size => ({
  width: Number(width),
  height: Number(height),
})

export interface CachedScreen extends Screen {
  /** Clears the cache. */
  forget(): void
}

const pngEnd = Buffer.from('IEND')

export function createScreen(transport: Transport): CachedScreen {
  let cached: { size: Size; at: number } | null = null

  async function readSize(progress: Progress): Promise<Size> {
    const startedAt = performance.now()
    const result = await transport.shell(sizeCommand, progress)
    // The exit code is grep's: whether it found a line.
    const size = parseSize(result.stdout.toString('utf8'))
    if (!size) throw commandFailed(sizeCommand, result)
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
      const screencap = command('screencap', '-p')
      const result = await transport.shell(screencap, progress)
      if (result.exitCode !== 0) throw commandFailed(screencap, result)
      if (!result.stdout.subarray(-8).includes(pngEnd)) {
        throw new ApiError('provider_error', { message: "The phone's screenshot was truncated." })
      }
      // The screen may have rotated in between.
      cached = null
      return result.stdout
    },
    forget() {
      cached = null
    },
  }
}
