/** Decodes H.264 to the canvas with low latency: WebCodecs, with one decoder per video size. */
import { joined } from './annex-b.js'
import { Incoming } from './incoming.js'
import { paint } from './paint.js'
import { type ConfigMessage, type FrameMessage } from './wire.js'

/** Frames that may wait in the decoder. If more frames wait, this machine is too slow. */
const maxWaiting = 12
/**
 * Milliseconds after which a decoder that withholds frames on a still screen is flushed: the minimum, and the
 * maximum for a decoder that is only slow.
 */
const settle = { least: 120, most: 2000 }

export interface PlayerListener {
  /** A frame was drawn. */
  onPicture(): void
  /** Frames have this size from now on. */
  onSize(width: number, height: number): void
  /** The next frame must be a key frame. */
  wantKeyFrame(): void
  /** The browser cannot decode this video. */
  onUnplayable(codec: string): void
}

/** Decodes video from the socket to a canvas. Implemented here and in `mse-player.ts`. */
export interface VideoPlayer {
  /**
   * Counts since the page was opened; `decodeMs`: milliseconds from the last frame's arrival until it was
   * decoded.
   */
  readonly counted: { pictures: number; dropped: number; decodeMs: number }
  /**
   * Discards all state, because a connection ended or a new connection begins. Frames in the decoder are not drawn.
   */
  reset(): void
  takeConfig(config: ConfigMessage): void
  takeFrame(frame: FrameMessage): void
}

export class Player implements VideoPlayer {
  private decoder: VideoDecoder | null = null
  private config: ConfigMessage | null = null
  private waiting = 0
  private settling: number | undefined
  private settleMs = settle.least
  /** When frames entered the decoder, by timestamp, for `decodeMs`. */
  private readonly begun = new Map<number, number>()
  readonly counted = { pictures: 0, dropped: 0, decodeMs: 0 }
  private readonly incoming = new Incoming(this.counted)

  constructor(
    private readonly canvas: HTMLCanvasElement,
    private readonly listener: PlayerListener,
  ) {
    // A hidden page decodes nothing.
    document.addEventListener('visibilitychange', () => {
      if (!document.hidden && this.config) this.startOver()
    })
  }

  static get isSupported(): boolean {
    return 'VideoDecoder' in globalThis
  }

  reset(): void {
    this.close()
    this.config = null
    this.incoming.reset()
  }

  takeConfig(config: ConfigMessage): void {
    this.reset()
    this.config = config
    this.listener.onSize(config.width, config.height)
  }

  takeFrame(frame: FrameMessage): void {
    const parts = this.incoming.take(frame, this.config !== null)
    if (!parts || !this.config) return
    if (this.waiting >= maxWaiting && !frame.isKeyFrame) {
      this.counted.dropped += 1
      return this.startOver()
    }
    this.decode(this.config, frame, parts)
  }

  private decode(config: ConfigMessage, frame: FrameMessage, parts: Uint8Array[]): void {
    try {
      const decoder = this.decoder ?? this.open(config)
      const timestamp = Number(frame.ptsUs)
      this.begun.set(timestamp, performance.now())
      this.waiting += 1
      decoder.decode(
        new EncodedVideoChunk({
          type: frame.isKeyFrame ? 'key' : 'delta',
          timestamp,
          data: joined(frame.isKeyFrame ? [config.parameterSets, ...parts] : parts),
        }),
      )
      this.settleLater(decoder)
    } catch (error) {
      if (error instanceof DOMException && error.name === 'NotSupportedError')
        return this.listener.onUnplayable(config.codec)
      this.startOver()
    }
  }

  private open(config: ConfigMessage): VideoDecoder {
    const decoder = new VideoDecoder({
      output: (picture) => this.draw(decoder, picture),
      error: (error) => {
        if (this.decoder !== decoder) return
        if (error.name === 'NotSupportedError') this.listener.onUnplayable(config.codec)
        else this.startOver()
      },
    })
    decoder.configure({ codec: config.codec, optimizeForLatency: true })
    this.decoder = decoder
    return decoder
  }

  private draw(decoder: VideoDecoder, picture: VideoFrame): void {
    const begun = this.begun.get(picture.timestamp)
    if (this.decoder === decoder) {
      this.waiting = Math.max(0, this.waiting - 1)
      this.begun.delete(picture.timestamp)
      paint(this.canvas, picture, { width: picture.displayWidth, height: picture.displayHeight })
      this.counted.pictures += 1
      if (begun !== undefined) this.counted.decodeMs = performance.now() - begun
      this.listener.onPicture()
    }
    picture.close()
  }

  /** Some decoders withhold a frame until the next frame, which a still screen does not send. */
  private settleLater(decoder: VideoDecoder): void {
    clearTimeout(this.settling)
    this.settling = setTimeout(() => {
      if (this.waiting === 0 || decoder.state !== 'configured') return
      const since = performance.now()
      // After a flush the decoder accepts only a key frame.
      decoder.flush().then(
        () => {
          if (this.decoder !== decoder) return
          this.settleMs = Math.min(settle.most, Math.max(settle.least, 2 * (performance.now() - since)))
          this.waiting = 0
          this.begun.clear()
          this.incoming.waitForKeyFrame()
          this.listener.wantKeyFrame()
        },
        // The decoder has been closed, or has reported its error.
        () => undefined,
      )
    }, this.settleMs)
  }

  /** Continues with the next key frame. */
  private startOver(): void {
    this.close()
    this.incoming.waitForKeyFrame()
    this.listener.wantKeyFrame()
  }

  private close(): void {
    clearTimeout(this.settling)
    if (this.decoder && this.decoder.state !== 'closed') this.decoder.close()
    this.decoder = null
    this.waiting = 0
    this.begun.clear()
  }
}
