/**
 * For tests: a subscriber of a capture that keeps the frames that it received, and ffmpeg to inspect them.
 */
import { spawn } from 'node:child_process'
import type { CaptureListener, VideoConfig, VideoPacket } from '../adb/device/capture.js'

export class Viewer implements CaptureListener {
  /** The frames in order of arrival. */
  readonly got: (VideoConfig | VideoPacket | string)[] = []

  onConfig(config: VideoConfig): void {
    this.got.push(config)
  }

  onPacket(packet: VideoPacket): void {
    this.got.push(packet)
  }

  onEnd(reason: string): void {
    this.got.push(reason)
  }

  get configs(): VideoConfig[] {
    return this.got.filter((each) => typeof each !== 'string' && 'codec' in each)
  }

  get packets(): VideoPacket[] {
    return this.got.filter((each) => typeof each !== 'string' && 'ptsUs' in each)
  }

  get keyFrames(): number {
    return this.packets.filter(({ isKeyFrame }) => isKeyFrame).length
  }

  /** Why the subscription ended; null while it is active. */
  get end(): string | null {
    return this.got.find((each) => typeof each === 'string') ?? null
  }

  /** Returns a decodable stream: every frame after the `nth` config. */
  stream(nth = 0): Buffer {
    const config = this.configs[nth]
    if (!config) throw new Error('no config came')
    const from = this.got.indexOf(config)
    const next = this.configs[nth + 1]
    const until = next ? this.got.indexOf(next) : this.got.length
    const parts = [config.parameterSets]
    for (const each of this.got.slice(from, until))
      if (typeof each !== 'string' && 'ptsUs' in each) parts.push(each.data)
    return Buffer.concat(parts)
  }
}

/**
 * Decodes H.264 and returns its pictures as grey pixels. @throws Error with the
 * decoder's messages about unreadable data
 */
export async function decode(stream: Buffer, size: { width: number; height: number }): Promise<Buffer[]> {
  const grey = ['-f', 'rawvideo', '-pix_fmt', 'gray', 'pipe:1']
  const raw = await ffmpeg(['-f', 'h264', '-i', 'pipe:0', '-vsync', 'passthrough', ...grey], stream)
  const bytes = size.width * size.height
  if (raw.length % bytes !== 0) throw new Error(`${raw.length} bytes are no pictures of ${bytes}`)
  return Array.from({ length: raw.length / bytes }, (_, i) => raw.subarray(i * bytes, (i + 1) * bytes))
}

/** Runs ffmpeg on `input`. @throws Error when it fails or reports errors */
export function ffmpeg(args: readonly string[], input: Buffer = Buffer.alloc(0)): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const program = process.env['FFMPEG_BIN'] ?? 'ffmpeg'
    const child = spawn(program, ['-hide_banner', '-loglevel', 'error', ...args], { timeout: 30_000 })
    const [out, err]: [Buffer[], Buffer[]] = [[], []]
    child.stdout.on('data', (chunk: Buffer) => out.push(chunk))
    child.stderr.on('data', (chunk: Buffer) => err.push(chunk))
    child.on('error', reject)
    child.on('close', (code) => {
      const words = Buffer.concat(err).toString()
      if (code === 0 && words === '') resolve(Buffer.concat(out))
      else reject(new Error(`ffmpeg ended with ${String(code)}: ${words}`))
    })
    // ffmpeg may have read enough already.
    child.stdin.on('error', () => undefined)
    child.stdin.end(input)
  })
}
