/**
 * The reads of the screen ("looks") under one assignment, shared by batches and observations. A look after a write
 * waits until the screen has settled. The last tree is used again while nothing was drawn. Without a signal (`Motion`),
 * fixed times apply and each look reads. docs/decisions/0336
 */
import { ownNow, type Progress } from '@phonerack/shared'
import type { Device } from '../adb/device/device.js'
import { stillMs, type Drawings } from '../adb/device/motion.js'
import { inParallel } from './in-parallel.js'
import { readScreen, type ScreenRead } from './read-tree.js'
import { Refs } from './refs/refs.js'
import { signatureOf } from './signature.js'

/** `touch`: a press or a move, which shows a ripple, a switch, a scroll. `navigation`: opens another screen. */
export type WriteKind = 'touch' | 'navigation'

export interface Write {
  kind: WriteKind
  /** Times on the clock of the looks. */
  beganAt: number
  endedAt: number
}

/**
 * Milliseconds after a write. `fixed`: the wait without a signal. `most`: the maximum wait with a signal. `least`: the
 * minimum wait, since the earliest frame of the effect needs about as long. `silent`: the wait when nothing is drawn
 * after the write.
 */
export const settleTimes = {
  touch: { fixed: 250, most: 1000 },
  navigation: { fixed: 500, most: 2500 },
  least: 60,
  silent: 1000,
} as const

/** A tree of this age is used again within a batch that has sent nothing after it. */
const youngMs = 500
/** Maximum reads of one look, which reads again when the screen changed during a read. */
const mostReads = 3

export interface Look extends ScreenRead {
  /** The times at which the read of the tree began and ended. */
  beganAt: number
  endedAt: number
  /** Whether the screen was still before the read and is still now. Null when the signal is missing. */
  settled: boolean | null
  /** Whether the look needed more than one read. */
  again: boolean
}

type Sight = Omit<Look, 'settled' | 'again'> & { isBlind: boolean }

export interface LookOptions {
  /** Reads the tree even if nothing was drawn since the last read. Default: false. */
  fresh?: boolean | undefined
  /** Accepts a young tree that was read at or after this time. Default: no young tree. */
  since?: number | undefined
}

export class Looks {
  private write: Write | null = null
  private seen: Sight | null = null
  /** The refs of the elements in the trees that were read. */
  readonly refs = new Refs()

  /** `now`: milliseconds on the clock of the phone's `Motion`. */
  constructor(readonly now: () => number = ownNow) {}

  /** The time at which the reading of the last tree began. */
  get lookedAt(): number {
    return this.seen?.beganAt ?? -Infinity
  }

  /** Records that something was sent to the phone. */
  wrote(write: Write): void {
    this.write = write
  }

  /** Waits until the screen has settled after the last write. */
  async settle(device: Device, progress: Progress): Promise<void> {
    const { write } = this
    if (!write) return
    const what = 'waiting for the screen to settle'
    for (;;) {
      const drawings = this.drawings(device, write.beganAt)
      const left = settlesAt(write, drawings) - this.now()
      if (left <= 0) return
      if (!drawings) return progress.sleep(left, what)
      await device.motion?.next(left, progress, what)
    }
  }

  /**
   * Waits until nothing was drawn for `stillMs`, and at most for this time. A look that begins earlier does not count as
   * settled, even if nothing is drawn after the look began.
   */
  async rest(device: Device, progress: Progress): Promise<void> {
    const until = this.now() + stillMs
    for (;;) {
      const still = this.stillFor(device)
      const left = Math.min(still === null ? 0 : stillMs - still, until - this.now())
      if (left <= 0) return
      await device.motion?.next(left, progress, 'waiting for a still screen')
    }
  }

  /** @throws the errors of `readScreen` */
  async look(device: Device, progress: Progress, { fresh = false, since }: LookOptions = {}): Promise<Look> {
    await this.settle(device, progress)
    const { seen } = this
    if (seen && this.isUsable(device, seen, fresh, since)) return this.asLook(device, seen)
    for (let reads = 1; ; reads += 1) {
      const sight = await this.read(device, progress)
      if (reads === mostReads || !this.isTooEarly(device, sight))
        return { ...this.asLook(device, sight), again: reads > 1 }
      await this.settle(device, progress)
    }
  }

  /** Returns the milliseconds since the last drawing. Null without a signal. */
  stillFor(device: Device): number | null {
    const drawings = this.drawings(device, -Infinity, false)
    return drawings && this.now() - Math.max(drawings.knownSince, drawings.drawnAt)
  }

  /** Whether the screen is still and was already still at `at`. Null without a signal. */
  isStillSince(device: Device, at: number): boolean | null {
    const drawings = this.drawings(device, at)
    return drawings && drawings.drawnAt <= at - stillMs
  }

  /** Whether anything was drawn since `at`. Null when unknown. */
  isDrawnSince(device: Device, at: number): boolean | null {
    const drawings = this.drawings(device, at)
    return drawings && drawings.drawnAt > at
  }

  /**
   * Waits for a drawing after the last look, then at most `pollMs` until the screen is still again. Without a drawing,
   * it returns after a second; without a signal, after `pollMs`. Returns true when the screen may be unchanged, in
   * which case the next look must be fresh.
   */
  async untilDrawn(
    device: Device,
    pollMs: number,
    mostMs: number,
    progress: Progress,
    what: string,
  ): Promise<boolean> {
    const { lookedAt } = this
    const isDrawn = () => this.isDrawnSince(device, lookedAt)
    const first = isDrawn()
    if (first === null) {
      await progress.sleep(Math.min(pollMs, mostMs), what)
      return true
    }
    const beganAt = this.now()
    const until = beganAt + Math.min(slowLookMs, mostMs)
    if (!first) await device.motion?.next(until - beganAt, progress, what)
    const latest = Math.min(this.now() + pollMs, beganAt + mostMs)
    for (;;) {
      const still = this.stillFor(device)
      const left = Math.min(still === null ? 0 : stillMs - still, latest - this.now())
      if (left <= 0) break
      await device.motion?.next(left, progress, what)
    }
    return isDrawn() !== true
  }

  private async read(device: Device, progress: Progress): Promise<Sight> {
    const before = this.seen
    const isWatched = (device.motion?.read() ?? null) !== null
    const beganAt = this.now()
    const [read, window] = await inParallel(
      () => readScreen(device, progress),
      async () => (isWatched ? await device.secureWindow.read(progress, true) : null),
    )
    // A window that forbids pictures is always black in the video.
    const isBlind = !read.window.screenOn || window?.secure === true
    this.refs.number(read.tree, read.window)
    const sight = { ...read, beganAt, endedAt: this.now(), isBlind }
    if (before && !isBlind && this.isStillSince(device, before.beganAt) === true && differs(before, sight))
      device.motion?.distrust()
    this.seen = sight
    return sight
  }

  /**
   * Whether the screen changed while the tree was read. Also true when the window that was read in the meantime shows
   * that the signal does not apply.
   */
  private isTooEarly(device: Device, sight: Sight): boolean {
    const { write } = this
    if (!write) return false
    if (sight.isBlind) return sight.beganAt < write.endedAt + settleTimes[write.kind].fixed
    const drawings = this.drawings(device, sight.beganAt)
    if (!drawings || drawings.drawnAt <= sight.beganAt) return false
    return drawings.drawnAt <= write.endedAt + settleTimes[write.kind].most
  }

  private isUsable(device: Device, sight: Sight, fresh: boolean, since: number | undefined): boolean {
    if (this.write && this.write.endedAt > sight.beganAt) return false
    if (!fresh && this.isStillSince(device, sight.beganAt) === true) return true
    return since !== undefined && sight.beganAt >= since && this.now() - sight.endedAt <= youngMs
  }

  private asLook(device: Device, sight: Sight): Look {
    return { ...sight, settled: this.isStillSince(device, sight.beganAt), again: false }
  }

  /** Null unless each drawing since `at` is known. */
  private drawings(device: Device, at: number, mustBeKnown = true): Drawings | null {
    if (this.seen?.isBlind) return null
    const drawings = device.motion?.read() ?? null
    return drawings && (!mustBeKnown || drawings.knownSince <= at) ? drawings : null
  }
}

/** Returns the time at which a screen without new drawings counts as settled after the write. Pure. */
export function settlesAt({ kind, beganAt, endedAt }: Write, drawings: Drawings | null): number {
  const { fixed, most } = settleTimes[kind]
  if (!drawings) return endedAt + fixed
  const isDrawn = drawings.drawnAt > beganAt
  const still = isDrawn ? drawings.drawnAt + stillMs : beganAt + settleTimes.silent
  return Math.min(Math.max(endedAt + settleTimes.least, still), endedAt + most)
}

/** Milliseconds between two looks at a screen on which nothing is drawn. */
const slowLookMs = 1000

const differs = (a: ScreenRead, b: ScreenRead): boolean =>
  a.window.package !== b.window.package || signatureOf(a.tree) !== signatureOf(b.tree)
