/** For tests: decodes H.264 to pixels with ffmpeg, and measures the difference between two pictures. */
import { spawn } from 'node:child_process'
import { ffmpegPath } from '../video/ffmpeg.js'
import { type Size } from '../video/size.js'

const deadlineMs = 20_000

/** Runs ffmpeg on `input`, and returns its output. @throws Error with its message on failure */
export function ffmpeg(args: readonly string[], input: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const child = spawn(ffmpegPath(), ['-hide_banner', '-loglevel', 'error', ...args], {
      timeout: deadlineMs,
    })
    const [out, err]: [Buffer[], Buffer[]] = [[], []]
    child.stdout.on('data', (chunk: Buffer) => out.push(chunk))
    child.stderr.on('data', (chunk: Buffer) => err.push(chunk))
    child.on('error', reject)
    child.on('close', (code) => {
      if (code === 0) resolve(Buffer.concat(out))
      else reject(new Error(`ffmpeg ended with ${code}: ${Buffer.concat(err).toString()}`))
    })
    // ffmpeg may have read enough already.
    child.stdin.on('error', () => undefined)
    child.stdin.end(input)
  })
}

const rgbOf = ({ width, height }: Size): string =>
  `-vf scale=${width}:${height}:flags=bilinear -f rawvideo -pix_fmt rgb24 pipe:1`

/** Returns the pictures of a stream of H.264, each as RGB of `size`. */
export async function decodeH264(stream: Buffer, size: Size): Promise<Buffer[]> {
  const raw = await ffmpeg(`-f h264 -i pipe:0 -vsync passthrough ${rgbOf(size)}`.split(' '), stream)
  const bytes = size.width * size.height * 3
  return Array.from({ length: raw.length / bytes }, (_, i) => raw.subarray(i * bytes, (i + 1) * bytes))
}

/** Returns a PNG as RGB of `size`. */
export function pngToRgb(png: Buffer, size: Size): Promise<Buffer> {
  return ffmpeg(`-f image2pipe -c:v png -i pipe:0 ${rgbOf(size)}`.split(' '), png)
}

/** Returns the mean difference of two pictures of the same size, 0 to 255. */
export function distance(a: Buffer, b: Buffer): number {
  if (a.length !== b.length) throw new Error(`Pictures of ${a.length} and ${b.length} bytes`)
  let sum = 0
  for (let i = 0; i < a.length; i++) sum += Math.abs((a[i] ?? 0) - (b[i] ?? 0))
  return sum / a.length
}

/** Returns the coded width and height of the first SPS in annex B bytes, after cropping. */
export async function sizeOf(stream: Buffer): Promise<Size> {
  const ppm = await ffmpeg(
    ['-f', 'h264', '-i', 'pipe:0', '-frames:v', '1', '-f', 'image2pipe', '-c:v', 'ppm', 'pipe:1'],
    stream,
  )
  const [, width, height] = /^P6\s(\d+) (\d+)\s/.exec(ppm.toString('latin1', 0, 30)) ?? []
  return { width: Number(width), height: Number(height) }
}
