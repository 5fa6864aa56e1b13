/**
 * The enrolment's check of `video`: the phone films while another scrcpy server handles input, and the picture must
 * have the aspect ratio of the screen.
 */
import type { Progress } from '@phonerack/shared'
import { later } from '../base/later.js'
import type { VideoConfig, VideoPacket } from '../adb/device/capture.js'
import type { CaptureHub } from './hub.js'

/**
 * Waits for the config and a key frame, then ends the video. Returns a description of the stream.
 * @throws Error when no key frame arrives
 */
export async function proveVideo(capture: CaptureHub, progress: Progress): Promise<string> {
  const startedAt = performance.now()
  const frame = later<VideoPacket | string>()
  let config: VideoConfig | null = null
  const seen = () => config
  try {
    await capture.subscribe(
      { onConfig: (first) => (config ??= first), onPacket: frame.resolve, onEnd: frame.resolve },
      progress,
    )
    const first = await progress.race('the first picture of the video', () => frame.promise)
    const shape = seen()
    if (typeof first === 'string' || !shape)
      throw new Error(typeof first === 'string' ? first : 'a picture came without parameter sets')
    const ms = Math.round(performance.now() - startedAt)
    return `${shape.codec} of ${shape.width}x${shape.height}, a key frame of ${first.data.length} bytes after ${ms} ms`
  } finally {
    capture.stop('the probe is over')
  }
}
