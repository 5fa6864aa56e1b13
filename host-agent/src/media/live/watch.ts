/**
 * One viewer's live view of a phone: sends frames as fast as the stream accepts them and
 * forwards the viewer's input. When the phone disconnects, notifies the viewer and
 * resumes the video once the phone is back. Used by `grpc/live-handlers.ts`.
 */
import type { WatchRequest, WatchResponse } from '@phonerack/proto'
import { ApiError, DeadlineExceeded, Progress, type Logger, pause } from '@phonerack/shared'
import type { Capture, CaptureListener, CaptureSubscription } from '../../adb/device/capture.js'
import { DeviceGone, type SecureWindowState, type Device } from '../../adb/device/device.js'
import { later } from '../../base/later.js'
import { isCharacter } from '../../devices/typed.js'
import { whileViewed } from '../../base/metrics/instruments.js'
import { messagesOf } from './frame-messages.js'
import { ViewerInput } from './viewer-input.js'
import { ViewerQueue } from './viewer-queue.js'

/** The stream to the viewer. */
export interface Outlet {
  /** Resolves when the message has left this process; a slow receiver delays this. */
  send(message: WatchResponse): Promise<void>
}

/** The viewer's messages after the first message. */
export interface Inlet {
  onEvent(listener: (event: NonNullable<WatchRequest['event']>) => void): void
  pause(): void
  resume(): void
}

interface WatchParts {
  device: (progress: Progress) => Promise<Device>
  control: boolean
  outlet: Outlet
  inlet: Inlet
  /** Called before text, or a key with a character, goes to the phone. */
  onTyped: () => void
  /** Lasts as long as the view. */
  progress: Progress
  times: Readonly<typeof watchTimes>
  log: Logger
}

const limits = { bytes: 2 << 20, age: 1000 }
/** Maximum messages in flight, so that a fast connection stays busy. */
const maxInFlight = 4
/** Milliseconds. `keyFrame`: between two key frame requests of a viewer that lost frames. */
export const watchTimes = { keyFrame: 2000, secureWindow: 2000, start: 15_000, retry: 500 }

const trouble = {
  away: 'The phone does not respond. The video continues when the phone responds again.',
  noVideo: 'The video stopped and is being restarted.',
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
    await whileViewed(() => view.run())
  } finally {
    await view.leave()
  }
}

class View {
  private readonly over = new AbortController()
  private readonly within: Progress
  private readonly queue = new ViewerQueue(limits)
  private readonly input: ViewerInput
  /** The rest of the frame that is being sent. */
  private restOfFrame: WatchResponse[] = []
  private inFlight = 0
  private subscription: CaptureSubscription | null = null
  private keyFrameRequestedAt = -Infinity
  private failure: Error | null = null
  /** Whether the picture changed since the last check for a secure window or lock. */
  private changed = true
  private videoTrouble = ''
  private secureWindow: SecureWindowState = { asleep: false, locked: false, secure: false }
  private sentState = ''

  constructor(private readonly parts: WatchParts) {
    const { inlet, device, progress, log } = parts
    this.within = Progress.for(progress.remaining, progress.signal, this.over.signal)
    this.input = new ViewerInput(device, this.within, log, () => inlet.resume())
    inlet.onEvent((event) => this.onEvent(event))
  }

  async run(): Promise<void> {
    await Promise.all([this.streamVideo(), this.checkSecureWindow()])
    if (this.failure) throw this.failure
  }

  async leave(): Promise<void> {
    this.over.abort()
    await this.input.leave()
  }

  private onEvent(event: NonNullable<WatchRequest['event']>): void {
    if (this.over.signal.aborted) return
    try {
      if (event.$case === 'open') throw refused('The view is already open.')
      if (event.$case === 'keyFrame') return this.subscription?.requestKeyFrame()
      if (!this.parts.control) throw refused('This view does not accept input.')
      if (event.$case === 'text' || (event.$case === 'key' && isCharacter(event.value.keyCode)))
        this.parts.onTyped()
      if (!this.input.add(event)) this.parts.inlet.pause()
    } catch (error) {
      this.fail(error)
    }
  }

  /** Ends the view. */
  private fail(error: unknown): void {
    this.failure ??= error instanceof Error ? error : new Error(String(error))
    this.over.abort()
  }

  private async streamVideo(): Promise<void> {
    const { within, parts } = this
    while (!this.isOver()) {
      const ended = later<string>()
      try {
        const start = within.within(this.parts.times.start)
        const { video } = await parts.device(start)
        this.subscription = await needed(video).subscribe(this.listener(ended.resolve), start, 'last')
        this.keyFrameRequestedAt = performance.now()
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
      await pause(this.parts.times.retry, within.signal)
    }
  }

  private listener(onEnd: (reason: string) => void): CaptureListener {
    return {
      onConfig: (config) => this.queue.addConfig(config),
      onPacket: (packet) => {
        this.changed = true
        this.queue.add(packet, performance.now())
        this.pump()
      },
      onEnd,
    }
  }

  /** Sends as much as the stream accepts. */
  private pump(): void {
    while (this.inFlight < maxInFlight && !this.over.signal.aborted) {
      const message = this.restOfFrame.shift() ?? this.nextFrame()
      if (!message) return this.requestMissingKeyFrame()
      this.inFlight += 1
      void this.parts.outlet.send(message).then(
        () => {
          this.inFlight -= 1
          this.pump()
        },
        (error: unknown) => this.fail(error),
      )
    }
  }

  private nextFrame(): WatchResponse | undefined {
    const frame = this.queue.take(performance.now())
    if (!frame) return undefined
    if (frame.config) this.input.setPicture(frame.config)
    this.restOfFrame = [...messagesOf(frame)]
    return this.restOfFrame.shift()
  }

  /**
   * Requests a key frame only after all recent frames were sent, since a viewer that is still behind would
   * lose the next key frame too.
   */
  private requestMissingKeyFrame(): void {
    if (!this.queue.needsKeyFrame || this.inFlight > 0) return
    if (performance.now() - this.keyFrameRequestedAt < this.parts.times.keyFrame) return
    this.keyFrameRequestedAt = performance.now()
    this.subscription?.requestKeyFrame()
  }

  /** Checks for a secure window or lock while the picture changes. A still picture needs no check. */
  private async checkSecureWindow(): Promise<void> {
    const { within, parts } = this
    while (!this.isOver()) {
      if (this.changed) {
        this.changed = false
        try {
          const device = await parts.device(within)
          this.secureWindow = await device.secureWindow.read(within.within(this.parts.times.start))
          this.sendState()
        } catch (error) {
          if (this.isOver()) return
          if (!(error instanceof DeviceGone) && !(error instanceof DeadlineExceeded)) throw error
          this.changed = true
        }
      }
      this.requestMissingKeyFrame()
      await pause(this.parts.times.secureWindow, within.signal)
    }
  }

  /**
   * This is a method and not a property, since TypeScript would assume that a property's value stays the
   * same.
   */
  private isOver(): boolean {
    return this.within.expired
  }

  private setTrouble(words: string): void {
    this.videoTrouble = words
    this.sendState()
  }

  private sendState(): void {
    const { asleep, locked, secure } = this.secureWindow
    const state = {
      secure: locked || secure,
      trouble: this.videoTrouble || (asleep ? trouble.asleep : ''),
      asleep: asleep && this.videoTrouble === '',
    }
    const words = JSON.stringify(state)
    if (words === this.sentState || this.isOver()) return
    this.sentState = words
    this.parts.outlet
      .send({ event: { $case: 'state', value: state } })
      .catch((error: unknown) => this.fail(error))
  }
}
