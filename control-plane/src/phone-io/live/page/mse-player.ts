/**
 * The player for browsers without WebCodecs (pages over plain HTTP, older browsers). Media Source Extensions
 * play the frames in a `<video>` behind the canvas, and the player draws each frame to the canvas.
 */
import { joined } from './annex-b.js'
import { Film } from './film.js'
import { Fragments, ticksPerSecond } from './fragments.js'
import { Incoming } from './incoming.js'
import './mux.js'
import { paint } from './paint.js'
import { type PlayerListener, type VideoPlayer } from './player.js'
import { type ConfigMessage, type FrameMessage } from './wire.js'

/**
 * The start of a frame relative to the clock, and its duration, in seconds of the video. `overlapping`: a
 * frame lasts until the next frame replaces it, so the clock never stops. `short`: frames play one after
 * another as they arrive, for browsers that keep only a few overlapping frames.
 */
const timings = { overlapping: { ahead: 0.02, duration: 12 * 3600 }, short: { ahead: 0, duration: 0.02 } }
/**
 * The player counts as too slow if more than `maxWaiting` frames wait, and the oldest has waited longer than
 * `maxWaitMs`.
 */
const maxWaiting = 10
const maxWaitMs = 800
/**
 * Milliseconds without a new frame after which the current frame is drawn again. A key frame is requested if
 * frames still wait, since some browsers show a frame only when another frame follows.
 */
const settleMs = 120
/** Consecutive failures of the browser's player without a frame. */
const maxFailures = 3

interface Due {
  /** Seconds of the video. */
  at: number
  /** A time of `performance.now()`. */
  since: number
}

export class MsePlayer implements VideoPlayer {
  private film: Film | null = null
  private fragments: Fragments | null = null
  private config: ConfigMessage | null = null
  private timing: keyof typeof timings = 'overlapping'
  /** Seconds of the video at which the newest frame begins. */
  private newest = -1
  /** The next key frame is shown immediately, and frames before it are skipped. */
  private isBehind = false
  private waiting: Due[] = []
  private settling: number | undefined
  private failures = 0
  readonly counted = { pictures: 0, dropped: 0, decodeMs: 0 }
  private readonly incoming = new Incoming(this.counted)

  constructor(
    private readonly canvas: HTMLCanvasElement,
    private readonly listener: PlayerListener,
  ) {
    document.addEventListener('visibilitychange', () => {
      if (!document.hidden && this.config) this.startOver()
    })
  }

  static get isSupported(): boolean {
    return Film.isSupported
  }

  reset(): void {
    clearTimeout(this.settling)
    this.config = null
    this.fragments = null
    this.incoming.reset()
    this.waiting = []
  }

  takeConfig(config: ConfigMessage): void {
    this.reset()
    if (!Film.plays(config.codec)) return this.listener.onUnplayable(config.codec)
    this.config = config
    this.listener.onSize(config.width, config.height)
  }

  takeFrame(frame: FrameMessage): void {
    const parts = this.incoming.take(frame, this.config !== null)
    if (!parts || !this.config) return
    this.add(this.config, frame.isKeyFrame, joined(parts))
    if (this.isTooSlow()) this.catchUp()
  }

  private add(config: ConfigMessage, isKeyFrame: boolean, data: Uint8Array): void {
    const film = this.filmOf(config.codec)
    if (!this.fragments) {
      try {
        this.fragments = new Fragments(globalThis.muxjs.generator, config)
      } catch {
        return this.listener.onUnplayable(config.codec)
      }
      film.add(this.fragments.head())
    }
    const { ahead, duration } = timings[this.timing]
    const ticks = Math.round(this.nextTime(film.time + ahead) * ticksPerSecond)
    this.newest = ticks / ticksPerSecond
    film.add(
      this.fragments.picture({ at: ticks, duration: duration * ticksPerSecond, isKeyFrame, data }),
      isKeyFrame ? { keyFrameAt: this.newest, jump: this.isBehind } : undefined,
    )
    if (isKeyFrame) this.isBehind = false
    this.waiting.push({ at: this.newest, since: performance.now() })
    this.settleLater()
  }

  private nextTime(now: number): number {
    if (this.newest < 0) return 0
    // The smallest step is enough, since frames that arrive together only need their order.
    return this.timing === 'short' ? this.newest + timings.short.duration : Math.max(this.newest + 0.001, now)
  }

  private filmOf(codec: string): Film {
    if (this.film && this.film.codec !== codec) this.closeFilm()
    this.film ??= new Film(this.canvas, codec, {
      onPicture: (video, at) => this.seen(video, at),
      onRepeat: (video) => this.draw(video),
      onFailure: () => this.fail(codec),
    })
    return this.film
  }

  private seen(video: HTMLVideoElement, at: number): void {
    // The frame was sent before a reset.
    if (!this.config) return
    this.draw(video)
    const last = this.waiting.findLastIndex((due) => due.at <= at + 0.0005)
    const [newest] = this.waiting.splice(0, last + 1).slice(-1)
    if (newest) this.counted.decodeMs = performance.now() - newest.since
    this.failures = 0
    this.counted.pictures += 1
    this.listener.onPicture()
  }

  private draw(video: HTMLVideoElement): void {
    // After a reset, the video still shows a frame of the previous stream.
    if (video.videoWidth === 0 || !this.config) return
    paint(this.canvas, video, { width: video.videoWidth, height: video.videoHeight })
  }

  private isTooSlow(): boolean {
    const [oldest] = this.waiting
    return (
      this.waiting.length > maxWaiting && oldest !== undefined && performance.now() - oldest.since > maxWaitMs
    )
  }

  private catchUp(): void {
    this.counted.dropped += this.waiting.length
    if (this.timing === 'overlapping') {
      this.timing = 'short'
      this.closeFilm()
    } else this.isBehind = true
    this.startOver()
  }

  private settleLater(): void {
    clearTimeout(this.settling)
    this.settling = setTimeout(() => {
      this.film?.repeat()
      if (this.waiting.length > 0) this.listener.wantKeyFrame()
    }, settleMs)
  }

  private fail(codec: string): void {
    this.closeFilm()
    this.failures += 1
    if (this.failures >= maxFailures) this.listener.onUnplayable(codec)
    else this.startOver()
  }

  private startOver(): void {
    clearTimeout(this.settling)
    this.waiting = []
    this.incoming.waitForKeyFrame()
    this.listener.wantKeyFrame()
  }

  private closeFilm(): void {
    this.film?.close()
    this.film = null
    this.fragments = null
    this.newest = -1
    this.isBehind = false
  }
}
