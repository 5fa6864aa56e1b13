/** Finds ffmpeg: `FFMPEG_BIN`, the binary of the package ffmpeg-static if it exists, or PATH. Used by `encoder.ts` and tests. */
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'

let found: string | null = null

/** Returns a path, or a name without a path for PATH, which is not checked before ffmpeg is started. */
export function ffmpegPath(): string {
  found ??= process.env['FFMPEG_BIN'] ?? staticPath() ?? 'ffmpeg'
  return found
}

/** The package can be installed without its binary, which its install script downloads. */
function staticPath(): string | null {
  const require = createRequire(import.meta.url)
  try {
    const path: unknown = require('ffmpeg-static')
    return typeof path === 'string' && existsSync(path) ? path : null
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'MODULE_NOT_FOUND') return null
    throw error
  }
}
