/** The video socket of one scrcpy client, and the display position of its touches. Used by `server.ts`. */
import { type ScrcpyInvocation } from '../android/program.js'
import { BrokenPipe, type Duplex } from '../android/streams.js'
import { EncoderError } from '../video/encoder.js'
import { ffmpegPath } from '../video/ffmpeg.js'
import { ScreenVideo } from '../video/screen-video.js'
import { type Size } from '../video/size.js'
import { type Position } from './control-message.js'
import { encoderProblem } from './encoders.js'
import { type ServerLog } from './log.js'
import { type ScrcpyOptions } from './options.js'
import { type ScrcpyProtocol } from './protocol.js'

export interface Point {
  x: number
  y: number
}

export class VideoStream {
  private readonly screen: ScreenVideo
  private sizes: { video: Size; display: Size } | null = null
  private headerSent = false

  constructor(
    private readonly stream: Duplex,
    invocation: ScrcpyInvocation,
    private readonly options: ScrcpyOptions,
    private readonly protocol: ScrcpyProtocol,
    private readonly log: ServerLog,
  ) {
    this.screen = new ScreenVideo({
      world: invocation.world,
      ffmpeg: ffmpegPath(),
      fit: (display) => protocol.videoSize(display, options.maxSize, options.minSizeAlignment),
      maxFps: options.maxFps,
      bitRate: options.videoBitRate,
      keyFrameSeconds: options.codecOptions.keyFrameSeconds,
      repeatAfterMs: options.codecOptions.repeatAfterMs,
      uptimeMs: invocation.uptimeMs,
      sink: {
        session: (size, display) => this.startSession(size, display),
        packet: async ({ config, key, data }, pts) => {
          if (options.sendFrameMeta)
            await stream.write(protocol.packetHeader({ config, key, pts }, data.length))
          await stream.write(data)
        },
      },
    })
  }

  /**
   * Resolves when the client or the server closed the socket, or the phone cannot film. These cases never
   * reject.
   */
  async run(): Promise<void> {
    const { impossible, videoCodec, videoEncoder } = this.options
    const problem =
      impossible.length > 0
        ? `This device can capture its screen as it is only, not ${impossible.join(' ')}`
        : encoderProblem(videoCodec, videoEncoder)
    if (problem !== null) {
      this.log.print('error', problem)
      return
    }
    void this.stream.closed.then(() => this.stop())
    try {
      await this.screen.run()
    } catch (error) {
      if (error instanceof EncoderError) this.log.print('error', `Video encoding error\n${error.message}`)
      else if (!(error instanceof BrokenPipe)) throw error
    }
    this.log.print('debug', 'Screen streaming stopped')
  }

  reset(): void {
    this.screen.reset()
  }

  stop(): void {
    this.screen.stop()
  }

  /**
   * Null for a touch on a video of another size, since the display may have rotated after the message was
   * sent.
   */
  map(position: Position): Point | null {
    if (!this.sizes) return { x: position.x, y: position.y }
    const { video, display } = this.sizes
    if (position.screenWidth !== video.width || position.screenHeight !== video.height) {
      this.log.print(
        'verbose',
        `Ignore positional event generated for size ${position.screenWidth}x${position.screenHeight} (current size is ${video.width}x${video.height})`,
      )
      return null
    }
    return {
      x: Math.trunc((position.x * display.width) / video.width),
      y: Math.trunc((position.y * display.height) / video.height),
    }
  }

  private async startSession(video: Size, display: Size): Promise<void> {
    this.sizes = { video, display }
    if (!this.options.sendCodecMeta) return
    const header = this.headerSent ? [] : [this.protocol.videoHeader(video)]
    this.headerSent = true
    const bytes = Buffer.concat([...header, this.protocol.sessionPacket(video)])
    if (bytes.length > 0) await this.stream.write(bytes)
  }
}
