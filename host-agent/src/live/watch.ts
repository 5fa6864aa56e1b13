/**
 * One person's live view of a phone: frames as fast as the stream accepts them, and the
 * person's input. Waits for a phone that disconnects: the person is notified, and the
 * picture returns. Used by `grpc/live-handlers.ts`.
 */
import type { WatchRequest, WatchResponse } from '@phonerack/proto'
import { ApiError, DeadlineExceeded, Progress, type Logger, pause } from '@phonerack/shared'
import type { Capture, CaptureListener, CaptureSubscription } from '../device/capture.js'
import { DeviceGone, type SecureWindowState, type Device } from '../device/device.js'
import { later } from '../base/later.js'
import { messagesOf } from './frame-messages.js'
import { Hand } from './hand.js'
import { ViewerQueue } from './viewer-queue.js'

/** The stream to the viewer. */
export interface Outlet {
  /** Resolves when the message has left this process, at the receiver's reading speed. */
  send(message: WatchResponse): Promise<void>
}

/** The viewer's messages after the first one. */
export interface Inlet {
  onEvent(listener: (event: NonNullable<WatchRequest['event']>) => void): void
  pause(): void
  resume(): void
}

export interface WatchParts {
  device: (progress: Progress) => Promise<Device>
  control: boolean
  outlet: Outlet
  inlet: Inlet
  /** Lasts as long as the view. */
  progress: Progress
  log: Logger
}

const limits = { bytes: 2 << 20, age: 1000 }
/** Maximum messages in flight, so that a fast connection stays busy. */
const mostOnTheWay = 4
/** Milliseconds. `ask`: between two key frame requests of a viewer that lost its picture. */
const times = { ask: 2000, look: 2000, start: 15_000, again: 500 }

const trouble = {
  away: 'The phone does not respond. Waiting for it.',
  noVideo: 'The video stopped. Restarting it.',
  asleep: "The phone's screen is off.",
}

function needed(video: Capture | null): Capture {
  if (!video) throw new ApiError('feature_unavailable', { details: { feature: 'live' } })
  return video
}

const refused = (message: string): ApiError => new ApiError('validation_failed', { message })

/**
 * Returns when `progress` ends. @throws ApiError when the view is impossible, or the
 * viewer breaks the protocol
 */
export async function watch(parts: WatchParts): Promise<void> {
  const view = new View(parts)
  try {
    await view.run()
  } finally {
    await view.leave()
  }
}

class View {
  private readonly over = new AbortController()
  private readonly within: Progress
  private readonly queue = new ViewerQueue(limits)
  private readonly hand: Hand
  /** The rest of the frame that is being sent. */
  private rest: WatchResponse[] = []
  private onTheWay = 0
  private subscription: CaptureSubscription | null = null
  private askedAt = -Infinity
  private failure: Error | null = null
  /** The picture changed since the last check for a secure window or lock. */
  private moved = true
  private videoTrouble = ''
  private secureWindow: SecureWindowState = { asleep: false, locked: false, secure: false }
  private told = ''

  constructor(private readonly parts: WatchParts) {
    const { inlet, device, progress, log } = parts
    this.within = Progress.for(progress.remaining, progress.signal, this.over.signal)
    this.hand = new Hand(device, this.within, log, () => inlet.resume())
    inlet.onEvent((event) => this.onEvent(event))
  }

  async run(): Promise<void> {
    await Promise.all([this.film(), this.look()])
    if (this.failure) throw this.failure
  }

  async leave(): Promise<void> {
    this.over.abort()
    await this.hand.leave()
  }

  private onEvent(event: NonNullable<WatchRequest['event']>): void {
    if (this.over.signal.aborted) return
    try {
      if (event.$case === 'open') throw refused('The view is already open.')
      if (event.$case === 'keyFrame') return this.subscription?.requestKeyFrame()
      if (!this.parts.control) throw refused('This view does not accept input.')
      if (!this.hand.add(event)) this.parts.inlet.pause()
    } catch (error) {
      this.fail(error)
    }
  }

  /** Ends the view. */
  private fail(error: unknown): void {
    this.failure ??= error instanceof Error ? error : new Error(String(error))
    this.over.abort()
  }

  private async film(): Promise<void> {
    const { within, parts } = this
    while (!this.isOver()) {
      const ended = later<string>()
      try {
        const start = within.within(times.start)
        const { video } = await parts.device(start)
        this.subscription = await needed(video).subscribe(this.listener(ended.resolve), start, 'last')
        this.askedAt = performance.now()
        this.setTrouble('')
        const reason = await within.race('the view', () => ended.promise)
        parts.log.info({ reason }, 'the video of a viewer stopped')
        this.setTrouble(trouble.noVideo)
      } catch (error) {
        if (this.isOver()) return
        if (error instanceof ApiError && error.code === 'feature_unavailable') return this.fail(error)
        parts.log.info({ err: error }, 'a viewer is waiting for its phone')
        this.setTrouble(trouble.away)
      } finally {
        this.subscription?.close()
        this.subscription = null
      }
      await pause(times.again, within.signal)
    }
  }

  private listener(onEnd: (reason: string) => void): CaptureListener {
    return {
      onConfig: (config) => this.queue.addConfig(config),
      onPacket: (packet) => {
        this.moved = true
        this.queue.add(packet, performance.now())
        this.pump()
      },
      onEnd,
    }
  }

  /** Sends as much as the stream accepts. */
  private pump(): void {
    while (this.onTheWay < mostOnTheWay && !this.over.signal.aborted) {
      const message = this.rest.shift() ?? this.nextFrame()
      if (!message) return this.askWhenLost()
      this.onTheWay += 1
      void this.parts.outlet.send(message).then(
        () => {
          this.onTheWay -= 1
          this.pump()
        },
        (error: unknown) => this.fail(error),
      )
    }
  }

  private nextFrame(): WatchResponse | undefined {
    const due = this.queue.take(performance.now())
    if (!due) return undefined
    if (due.config) this.hand.sees(due.config)
    this.rest = [...messagesOf(due)]
    return this.rest.shift()
  }

  /**
   * Called after everything recent was sent: a viewer that is still behind would lose
   * the next key frame too.
   */
  private askWhenLost(): void {
    if (!this.queue.needsKeyFrame || this.onTheWay > 0) return
    if (performance.now() - this.askedAt < times.ask) return
    this.askedAt = performance.now()
    this.subscription?.requestKeyFrame()
  }

  /** Checks for a secure window or lock while the picture changes; a still picture costs nothing. */
  private async look(): Promise<void> {
    const { within, parts } = this
    while (!this.isOver()) {
      if (this.moved) {
        this.moved = false
        try {
          const device = await parts.device(within)
          this.secureWindow = await device.secureWindow.read(within.within(times.start))
          this.tell()
        } catch (error) {
          if (this.isOver()) return
          if (!(error instanceof DeviceGone) && !(error instanceof DeadlineExceeded)) throw error
          this.moved = true
        }
      }
      this.askWhenLost()
      await pause(times.look, within.signal)
    }
  }

  /** A method, since its result changes while other calls run. */
  private isOver(): boolean {
    return this.within.expired
  }

  private setTrouble(words: string): void {
    this.videoTrouble = words
    this.tell()
  }

  private tell(): void {
    const { asleep, locked, secure } = this.secureWindow
    const state = {
      secure: locked || secure,
      trouble: this.videoTrouble || (asleep ? trouble.asleep : ''),
      asleep: asleep && this.videoTrouble === '',
    }
    const words = JSON.stringify(state)
    if (words === this.told || this.isOver()) return
    this.told = words
    this.parts.outlet
      .send({ event: { $case: 'state', value: state } })
      .catch((error: unknown) => this.fail(error))
  }
}
