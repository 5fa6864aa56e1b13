/**
 * Sends one viewer's input to a phone, in order of arrival. Converts fractions of the
 * picture to device pixels, and releases pressed fingers and keys when the viewer
 * leaves. Used by `watch.ts`.
 */
import type { WatchRequest, WatchScroll, WatchTouch } from '@phonerack/proto'
import { WatchTouch_Phase as Phase } from '@phonerack/proto'
import { ApiError, Progress, type Logger } from '@phonerack/shared'
import {
  DeviceGone,
  TextMethodUnavailable,
  type Device,
  type LiveInput,
  type Point,
  type Size,
  type TouchPhase,
} from '../../adb/device/device.js'

/** An input event of a viewer. */
export type InputEvent = Extract<
  NonNullable<WatchRequest['event']>,
  { $case: 'touch' | 'key' | 'text' | 'scroll' | 'rotate' }
>

/**
 * Milliseconds. `paste`: the time that an app takes to read the pasted text; afterwards the clipboard is
 * restored.
 */
const times = { event: 4000, text: 20_000, paste: 300, liftAll: 1000 }
/** Maximum queued events; the caller stops reading until few remain. */
const maxQueued = 256

const phases: Partial<Record<Phase, TouchPhase>> = {
  [Phase.PHASE_DOWN]: 'down',
  [Phase.PHASE_MOVE]: 'move',
  [Phase.PHASE_UP]: 'up',
  [Phase.PHASE_CANCEL]: 'cancel',
}

/** Gives the fingers of several viewers, and of action batches, distinct pointer numbers on one phone. */
let viewers = 0
const fingers = 10

export class ViewerInput {
  private readonly waiting: InputEvent[] = []
  private working: Promise<void> | null = null
  private readonly firstPointer = (viewers = (viewers + 1) % 1_000_000) * fingers + fingers
  private readonly down = new Map<number, Point>()
  private readonly pressed = new Map<number, number>()
  private picture: Size | null = null
  private currentProgress = Progress.for(0)

  constructor(
    private readonly device: (progress: Progress) => Promise<Device>,
    private readonly progress: Progress,
    private readonly log: Logger,
    /** Called when the queue has space again. */
    private readonly onSpace: () => void,
  ) {}

  /** Sets the size of the picture that the viewer sees now. */
  setPicture(picture: Size): void {
    this.picture = picture
  }

  /**
   * Queues an event. Returns false when the caller must wait for `onSpace` before the next event.
   * @throws ApiError for invalid input
   */
  add(event: InputEvent): boolean {
    checkEvent(event)
    const last = this.waiting.at(-1)
    if (last?.$case === 'touch' && event.$case === 'touch' && isSameMove(last.value, event.value))
      this.waiting.pop()
    if (last?.$case === 'text' && event.$case === 'text') {
      this.waiting.pop()
      this.waiting.push({ $case: 'text', value: { text: last.value.text + event.value.text } })
    } else this.waiting.push(event)
    this.working ??= this.work()
    return this.waiting.length < maxQueued
  }

  /**
   * Drops queued events, waits for the running event, and releases pressed fingers and keys. Never throws.
   */
  async leave(): Promise<void> {
    this.waiting.length = 0
    await this.working
    if (this.down.size === 0 && this.pressed.size === 0) return
    const within = Progress.for(times.liftAll)
    try {
      const input = inputOf(await this.device(within))
      for (const [pointer, point] of this.down) await input.touch('cancel', pointer, point, within)
      for (const [keyCode, metaState] of this.pressed) await input.key(false, keyCode, metaState, 0, within)
    } catch (error) {
      this.log.info({ err: error }, 'pressed keys or fingers of a viewer could not be released')
    }
  }

  private async work(): Promise<void> {
    // Sets `working` before the first event runs.
    await Promise.resolve()
    for (let event = this.waiting.shift(); event; event = this.waiting.shift()) {
      if (this.waiting.length === maxQueued >> 1) this.onSpace()
      try {
        await this.perform(event)
      } catch (error) {
        // The viewer sees that the input had no effect, and can repeat it.
        const isKnown =
          error instanceof DeviceGone || error instanceof TextMethodUnavailable || error instanceof ApiError
        const level = isKnown || this.progress.expired ? 'info' : 'error'
        this.log[level]({ err: error, event: event.$case }, "a viewer's input did not reach the phone")
      }
    }
    this.working = null
    this.onSpace()
  }

  /**
   * Many events share one deadline, of which at least half of `times.event` remains:
   * each deadline has a timer, and a finger moves a hundred times a second.
   */
  private sharedProgress(): Progress {
    if (this.currentProgress.remaining < times.event / 2)
      this.currentProgress = this.progress.within(times.event)
    return this.currentProgress
  }

  private async perform(event: InputEvent): Promise<void> {
    const within = event.$case === 'text' ? this.progress.within(times.text) : this.sharedProgress()
    const device = await this.device(within)
    switch (event.$case) {
      case 'touch':
        return this.touch(device, event.value, within)
      case 'key': {
        const { down, keyCode, metaState, repeat } = event.value
        if (down) this.pressed.set(keyCode, metaState)
        else this.pressed.delete(keyCode)
        return inputOf(device).key(down, keyCode, metaState, repeat, within)
      }
      case 'text':
        return typeText(device, event.value.text, within)
      case 'scroll': {
        const { horizontal, vertical } = event.value
        return inputOf(device).scroll(
          await this.pointOf(device, event.value, within),
          horizontal,
          vertical,
          within,
        )
      }
      case 'rotate':
        return inputOf(device).rotate(within)
    }
  }

  private async touch(device: Device, touch: WatchTouch, within: Progress): Promise<void> {
    const phase = phases[touch.phase]
    if (!phase) return
    const pointer = this.firstPointer + touch.pointer
    // A move without a down: the finger entered the picture from outside, or its down was refused.
    if (phase !== 'down' && !this.down.has(pointer)) return
    const point = await this.pointOf(device, touch, within)
    this.down.set(pointer, point)
    await inputOf(device).touch(phase, pointer, point, within)
    if (phase !== 'down' && phase !== 'move') this.down.delete(pointer)
  }

  /** Converts fractions of the picture to device pixels. */
  private async pointOf(
    device: Device,
    { x, y }: WatchTouch | WatchScroll,
    within: Progress,
  ): Promise<Point> {
    const screen = await this.screenOf(device, within)
    return {
      x: Math.min(screen.width - 1, Math.floor(x * screen.width)),
      y: Math.min(screen.height - 1, Math.floor(y * screen.height)),
    }
  }

  private screen: { size: Size; of: Size | null } | null = null

  /**
   * Reads the screen's size once for each size of the picture, since a query for each move would delay the
   * input.
   */
  private async screenOf(device: Device, within: Progress): Promise<Size> {
    if (!this.screen || this.screen.of !== this.picture) {
      const of = this.picture
      this.screen = { size: inOrientationOf(await device.screen.size(within), of), of }
    }
    return this.screen.size
  }
}

/**
 * Returns the screen's size in the picture's orientation: the screen may have rotated since its size was read. Pure.
 */
export function inOrientationOf(size: Size, picture: Size | null): Size {
  const isTurned = picture && picture.width > picture.height !== size.width > size.height
  return isTurned ? { width: size.height, height: size.width } : size
}

const isSameMove = (before: WatchTouch, after: WatchTouch): boolean =>
  before.phase === Phase.PHASE_MOVE && after.phase === Phase.PHASE_MOVE && before.pointer === after.pointer

const isWithin = (value: number, min: number, max: number) => value >= min && value <= max

/** Maximum characters of one text; queued texts are merged. */
const maxTextLength = 10_000

function checkEvent(event: InputEvent): void {
  const isFine = ((): boolean => {
    switch (event.$case) {
      case 'touch': {
        const { x, y, pointer } = event.value
        return isWithin(x, 0, 1) && isWithin(y, 0, 1) && pointer < fingers
      }
      case 'scroll': {
        const { x, y, horizontal, vertical } = event.value
        return (
          isWithin(x, 0, 1) &&
          isWithin(y, 0, 1) &&
          isWithin(horizontal, -16, 16) &&
          isWithin(vertical, -16, 16)
        )
      }
      case 'key':
        return Object.values(event.value).every((value) => Number(value) <= 0x7fff_ffff)
      case 'text':
        return Array.from(event.value.text).length <= maxTextLength
      case 'rotate':
        return true
    }
  })()
  if (!isFine)
    throw new ApiError('validation_failed', {
      message: `Input of type ${event.$case} is not accepted from a viewer.`,
    })
}

function inputOf(device: Device): LiveInput {
  if (!device.liveInput) throw new ApiError('feature_unavailable', { details: { feature: 'live' } })
  return device.liveInput
}

/**
 * Uses the first method that accepts the text and works now. Does not read the field back, since the viewer
 * sees the result.
 */
async function typeText(device: Device, text: string, within: Progress): Promise<void> {
  for (const method of device.text?.methods ?? []) {
    if (method.mode !== 'insert' || !method.accepts(text)) continue
    try {
      const sent = await method.send(text, null, within)
      if (method.name === 'paste') await within.sleep(times.paste, 'the paste into the app')
      await sent.release()
      return
    } catch (error) {
      if (!(error instanceof TextMethodUnavailable)) throw error
    }
  }
  throw new TextMethodUnavailable('typing does not work at the moment')
}
