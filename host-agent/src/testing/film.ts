/** For tests: real H.264, as a phone's encoder gives it, and a capture that a test feeds with it. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Capture, CaptureListener, VideoConfig } from '../capture/capture.js'
import { nalUnits } from '../recordings/h264.js'

const execute = promisify(execFile)
const start = Buffer.from([0, 0, 0, 1])

export interface Film {
  config: VideoConfig
  /** Access units; the first is a key frame, and no other. */
  units: Buffer[]
}

/** `frames` pictures that all differ. */
export async function makeFilm(width: number, height: number, frames: number): Promise<Film> {
  const { stdout } = await execute(
    'ffmpeg',
    [
      ...[
        '-v',
        'error',
        '-f',
        'lavfi',
        '-i',
        `testsrc=size=${width}x${height}:rate=10`,
        '-frames:v',
        String(frames),
      ],
      ...['-c:v', 'libx264', '-preset', 'ultrafast', '-bf', '0', '-g', '100000', '-pix_fmt', 'yuv420p'],
      ...['-bsf:v', 'h264_metadata=aud=insert', '-f', 'h264', 'pipe:1'],
    ],
    { encoding: 'buffer', maxBuffer: 64 << 20 },
  )
  const sets: Buffer[] = []
  const units: Buffer[][] = []
  for (const unit of nalUnits(stdout)) {
    const type = (unit[0] ?? 0) & 0x1f
    if (type === 9) units.push([])
    else if (type === 7 || type === 8) sets.push(start, unit)
    else if (type === 1 || type === 5) units.at(-1)?.push(start, unit)
  }
  const config = { codec: 'avc1.42C00A', parameterSets: Buffer.concat(sets), width, height }
  return { config, units: units.map((parts) => Buffer.concat(parts)) }
}

/** A capture whose video is what the test says. */
export class FilmCapture implements Capture {
  readonly listeners = new Set<CaptureListener>()
  constructor(private readonly onSubscribe: (listener: CaptureListener) => void) {}

  subscribe(listener: CaptureListener) {
    this.listeners.add(listener)
    this.onSubscribe(listener)
    return Promise.resolve({
      requestKeyFrame: () => undefined,
      close: () => void this.listeners.delete(listener),
    })
  }
}
