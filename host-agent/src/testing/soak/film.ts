/** Makes real H.264 in the form of a phone's encoder with ffmpeg, for the soak test and for unit tests. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { VideoConfig } from '../../adb/device/capture.js'
import { nalUnits } from '../../capture/annex-b.js'
import { readPictureFormat } from '../../capture/sps.js'

const execute = promisify(execFile)
const start = Buffer.from([0, 0, 0, 1])

export interface Film {
  config: VideoConfig
  /** Access units; only the first is a key frame. */
  units: Buffer[]
}

interface FilmOptions {
  width: number
  height: number
  frames: number
  /** Frames a second. */
  rate: number
  /** Bits per second; default: constant quality. */
  bitRate?: number
  ffmpeg?: string
}

/** Makes a film of distinct pictures. */
export async function makeFilm(options: FilmOptions): Promise<Film> {
  const { width, height, frames, rate, bitRate, ffmpeg = 'ffmpeg' } = options
  const source = `testsrc=size=${width}x${height}:rate=${rate}`
  const noise = bitRate === undefined ? [] : ['-vf', 'noise=alls=20:allf=t', '-b:v', String(bitRate)]
  const { stdout } = await execute(
    ffmpeg,
    [
      ...['-v', 'error', '-f', 'lavfi', '-i', source, '-frames:v', String(frames), ...noise],
      ...['-c:v', 'libx264', '-preset', 'ultrafast', '-bf', '0', '-g', '100000', '-pix_fmt', 'yuv420p'],
      ...['-bsf:v', 'h264_metadata=aud=insert', '-f', 'h264', 'pipe:1'],
    ],
    { encoding: 'buffer', maxBuffer: 256 << 20 },
  )
  const sets: Buffer[] = []
  const units: Buffer[][] = []
  for (const { type, bytes } of nalUnits(stdout)) {
    if (type === 9) units.push([])
    else if (type === 7 || type === 8) sets.push(start, bytes)
    else if (type === 1 || type === 5) units.at(-1)?.push(start, bytes)
  }
  const parameterSets = Buffer.concat(sets)
  const config = { ...readPictureFormat(parameterSets), parameterSets }
  return { config, units: units.map((parts) => Buffer.concat(parts)) }
}
