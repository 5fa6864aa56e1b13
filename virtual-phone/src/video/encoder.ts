/**
 * Encodes pictures as H.264 with a separate ffmpeg: one picture in, one packet out; parameter sets precede a stream's
 * first picture. ffmpeg reads the pictures from a pipe and ends with the pipe, so ffmpeg does not outlive this process.
 * Used by `screen-video.ts`.
 */
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process'
import { FlvReader, type VideoPacket } from './flv.js'
import { type Size } from './size.js'

export interface EncoderOptions {
  /** Path or name of the program. */
  ffmpeg: string
  /** Size of the pictures. */
  source: Size
  /** The size of the video, in even numbers. */
  size: Size
  /** Bits per second. */
  bitRate: number
  /**
   * Seconds between key frames; 0 when each frame is a key frame, negative when only the first frame is a key frame.
   */
  keyFrameSeconds: number
}

/** ffmpeg is missing, cannot encode H.264, or ended. */
export class EncoderError extends Error {
  override name = 'EncoderError'
}

/** The time limit of one picture: a hung encoder ends the video. */
const pictureDeadlineMs = 10_000
const errorTextBytes = 2000

interface Waiting {
  resolve: (packets: VideoPacket[]) => void
  reject: (error: Error) => void
}

export class H264Encoder {
  private readonly child: ChildProcessWithoutNullStreams
  private readonly reader = new FlvReader()
  private readonly waiting: Waiting[] = []
  private held: VideoPacket[] = []
  private errorText = ''
  private failure: Error | null = null
  private deadline: NodeJS.Timeout | null = null
  /** Resolves when ffmpeg has ended. */
  readonly ended: Promise<void>

  constructor(options: EncoderOptions) {
    this.child = spawn(options.ffmpeg, encoderArguments(options), { stdio: 'pipe' })
    this.ended = new Promise((resolve) => {
      this.child.once('close', () => resolve())
    })
    this.child.on('error', (error) => this.fail(new EncoderError(`ffmpeg: ${error.message}`)))
    this.child.on('exit', (code) => {
      this.fail(new EncoderError(`ffmpeg ended with ${code ?? 'a signal'}: ${this.errorText.trim()}`))
    })
    // Closing the pipe ends ffmpeg, whose exit is handled above.
    this.child.stdin.on('error', () => undefined)
    this.child.stderr.on('data', (chunk: Buffer) => {
      this.errorText = (this.errorText + chunk.toString('utf8')).slice(-errorTextBytes)
    })
    this.child.stdout.on('data', (chunk: Buffer) => {
      try {
        for (const packet of this.reader.push(chunk)) this.take(packet)
      } catch (error) {
        this.fail(error instanceof Error ? error : new Error(String(error)))
      }
    })
  }

  get pid(): number | undefined {
    return this.child.pid
  }

  /**
   * Encodes a picture.
   * @param rgba of the source's size
   * @returns the picture's packet, after the parameter sets for the first picture
   * @throws EncoderError
   */
  encode(rgba: Buffer): Promise<VideoPacket[]> {
    if (this.failure) return Promise.reject(this.failure)
    return new Promise((resolve, reject) => {
      this.waiting.push({ resolve, reject })
      this.child.stdin.write(rgba)
      this.watch()
    })
  }

  /** Kills ffmpeg immediately. */
  close(): void {
    this.fail(new EncoderError('The encoder was closed'))
  }

  private take(packet: VideoPacket): void {
    this.held.push(packet)
    if (packet.config) return
    this.waiting.shift()?.resolve(this.held)
    this.held = []
    this.watch()
  }

  /** One timer runs for the oldest pending picture. */
  private watch(): void {
    if (this.deadline) clearTimeout(this.deadline)
    this.deadline =
      this.waiting.length === 0
        ? null
        : setTimeout(() => this.fail(new EncoderError('ffmpeg hangs')), pictureDeadlineMs)
  }

  private fail(error: Error): void {
    if (this.failure) return
    this.failure = error
    if (this.deadline) clearTimeout(this.deadline)
    this.child.kill('SIGKILL')
    for (const { reject } of this.waiting.splice(0)) reject(error)
  }
}

function encoderArguments({ source, size, bitRate, keyFrameSeconds }: EncoderOptions): string[] {
  return [
    ...['-hide_banner', '-loglevel', 'error', '-nostdin'],
    // The time of arrival is the picture's time, which also keeps the bit rate at low frame rates.
    ...['-use_wallclock_as_timestamps', '1'],
    ...['-f', 'rawvideo', '-pixel_format', 'rgba', '-video_size', `${source.width}x${source.height}`],
    ...['-framerate', '60', '-i', 'pipe:0', '-an', '-vsync', 'passthrough'],
    ...['-vf', `scale=${size.width}:${size.height}:flags=bilinear:out_range=tv,format=yuv420p`],
    ...['-c:v', 'libx264', '-preset', 'ultrafast', '-tune', 'zerolatency', '-threads', '2'],
    ...['-b:v', String(bitRate), '-maxrate', String(bitRate), '-bufsize', String(bitRate)],
    ...['-g', keyFrameSeconds === 0 ? '1' : '1000000', '-sc_threshold', '0'],
    ...(keyFrameSeconds > 0 ? ['-force_key_frames', `expr:gte(t,n_forced*${keyFrameSeconds})`] : []),
    ...['-flush_packets', '1', '-f', 'flv', '-flvflags', 'no_duration_filesize', 'pipe:1'],
  ]
}
