/**
 * The screen as H.264. Pictures are sent while the screen changes. When the screen stops, the last picture is repeated
 * ten times (AOSP `GraphicBufferSource`), and then nothing is sent. A new encoder starts on request, or when the
 * display rotates. Used by the scrcpy server.
 */
import { type World } from '../android/world.js'
import { H264Encoder } from './encoder.js'
import { type VideoPacket } from './flv.js'
import { sameSize, type Size } from './size.js'
import { Wakeup } from './wakeup.js'

export interface VideoSink {
  /** A new encoder starts for this display. */
  session(size: Size, display: Size): Promise<void>
  /** @param pts microseconds since the phone started; each is greater than the last */
  packet(packet: VideoPacket, pts: bigint): Promise<void>
}

interface ScreenVideoOptions {
  world: World
  ffmpeg: string
  /** The video's size on a display. */
  fit: (display: Size) => Size
  /** 0 for the phone's maximum. */
  maxFps: number
  bitRate: number
  keyFrameSeconds: number
  /** 0 when the last picture is not repeated. */
  repeatAfterMs: number
  uptimeMs: () => number
  sink: VideoSink
}

/** How often a still picture is repeated. The time of each repeat is one interval later. */
const MOST_REPEATS = 10
/** The highest frame rate of a virtual phone. */
const SCREEN_FPS = 30

/** The last picture, with the time of its last packet in microseconds and its repeats. */
interface Sent {
  rgba: Buffer
  pts: bigint
  at: number
  repeats: number
}

/** Returns the interval in milliseconds; null when the picture is not repeated. */
const repeatsIn = (last: Sent | null, afterMs: number): number | null =>
  last && afterMs > 0 && last.repeats < MOST_REPEATS ? last.at + afterMs - performance.now() : null

export class ScreenVideo {
  private readonly wakeup = new Wakeup()
  private changed = true
  private resetAsked = false
  private stopped = false
  private encoder: H264Encoder | null = null
  private failure: { error: unknown } | null = null
  private lastPts = -1n

  constructor(private readonly options: ScreenVideoOptions) {}

  /** Starts a new encoder, so that parameter sets and a key frame follow even on a static screen. */
  reset(): void {
    this.resetAsked = true
    this.wakeup.notify()
  }

  /** Kills the encoder; `run` resolves. */
  stop(): void {
    this.stopped = true
    this.encoder?.close()
    this.wakeup.notify()
  }

  /**
   * Resolves when the video was stopped.
   * @throws EncoderError, or the sink's error
   */
  async run(): Promise<void> {
    const stopWatching = this.options.world.onChange(() => {
      this.changed = true
      this.wakeup.notify()
    })
    try {
      while (!this.isStopped()) await this.session()
    } catch (error) {
      if (!this.isStopped()) throw error
    } finally {
      stopWatching()
    }
  }

  /** This is a method, so that the type checker expects a change while other code runs. */
  private isStopped(): boolean {
    return this.stopped
  }

  private get display(): Size {
    const { width, height } = this.options.world.display
    return { width, height }
  }

  private async session(): Promise<void> {
    const { ffmpeg, fit, bitRate, keyFrameSeconds, sink } = this.options
    this.resetAsked = false
    const display = this.display
    const size = fit(display)
    await sink.session(size, display)
    if (this.isStopped()) return
    const encoder = new H264Encoder({ ffmpeg, source: size, size, bitRate, keyFrameSeconds })
    this.encoder = encoder
    try {
      await this.film(encoder, display, size)
    } finally {
      this.encoder = null
      encoder.close()
      await encoder.ended
    }
  }

  /**
   * While a picture is encoded, the next picture is drawn. Pictures for which a slow client is not ready are
   * never drawn.
   */
  private async film(encoder: H264Encoder, display: Size, size: Size): Promise<void> {
    const { world, maxFps, repeatAfterMs } = this.options
    const intervalMs = 1000 / Math.min(maxFps > 0 ? maxFps : SCREEN_FPS, SCREEN_FPS)
    let sent = Promise.resolve()
    let nextAt = performance.now()
    let last: Sent | null = null
    this.changed = true
    for (;;) {
      const repeats: boolean = !this.changed && (await this.stillFor(repeatsIn(last, repeatAfterMs)))
      await this.sleepUntil(nextAt, display)
      if (this.mustEnd(display)) break
      if (!this.changed && !repeats) continue
      this.changed = false
      const pts = this.now()
      if (last && repeats) {
        last.pts += BigInt(Math.round(repeatAfterMs * 1000))
        last.at = performance.now()
        last.repeats += 1
      } else {
        const rgba = await world.screenshotRgba(size)
        if (this.mustEnd(display)) break
        // Android draws nothing while the shown content is unchanged.
        if (last?.rgba.equals(rgba)) continue
        last = { rgba, pts, at: performance.now(), repeats: 0 }
      }
      nextAt = Math.max(nextAt + intervalMs, performance.now())
      await sent
      sent = this.send(encoder, last.rgba, this.after(last.pts))
    }
    await sent
    if (this.failure) throw this.failure.error
  }

  private mustEnd(display: Size): boolean {
    return this.stopped || this.resetAsked || this.failure !== null || !sameSize(this.display, display)
  }

  /** Sleeps. Returns true when nothing woke the loop within this time; null waits without a limit. */
  private async stillFor(ms: number | null): Promise<boolean> {
    if (this.stopped || this.resetAsked || this.failure) return false
    return (await this.wakeup.sleep(ms)) === 'time'
  }

  private async sleepUntil(time: number, display: Size): Promise<void> {
    while (!this.mustEnd(display)) {
      const ms = time - performance.now()
      if (ms <= 0) return
      await this.wakeup.sleep(ms)
    }
  }

  private async send(encoder: H264Encoder, rgba: Buffer, pts: bigint): Promise<void> {
    try {
      for (const packet of await encoder.encode(rgba)) await this.options.sink.packet(packet, pts)
    } catch (error) {
      this.failure ??= { error }
      this.wakeup.notify()
    }
  }

  private now(): bigint {
    return BigInt(Math.round(this.options.uptimeMs() * 1000))
  }

  /** Returns the time of the next packet: `pts`, or a later time when that has passed. */
  private after(pts: bigint): bigint {
    this.lastPts = pts > this.lastPts ? pts : this.lastPts + 1n
    return this.lastPts
  }
}
