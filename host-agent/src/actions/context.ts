/**
 * State shared by the actions of one batch: the phone, its last known screen, and
 * whether anything was sent since then. Reads wait until the screen has settled after
 * the last write; writes do not wait.
 */
import { ApiError, type Progress, type Target } from '@phonerack/shared'
import type { Device, Point, Size, Stroke, WindowState } from '../adb/device/device.js'
import { measured } from '../base/metrics/instruments.js'
import type { ScreenTree } from '../screen/elements.js'
import { readScreen, type ScreenRead } from '../screen/read-tree.js'
import type { Snapshots } from '../screen/snapshots.js'
import { lengthOf } from './gestures.js'
import type { Guard } from './guard.js'
import { keyCode } from './keys.js'
import { isPoint, matchPoint, matchTarget, type Aim, type Match, type Miss } from './target.js'

/** The target is missing from the screen, or ambiguous. Nothing was sent. */
export class TargetMiss extends Error {
  constructor(readonly miss: Miss) {
    super(miss.code)
    this.name = 'TargetMiss'
  }
}

export interface ActionContext {
  readonly device: Device
  readonly progress: Progress
  /** Null: everything is allowed. */
  readonly guard: Guard | null
  /** Milliseconds on a monotonic clock. */
  readonly now: () => number
  /** True once the running action may have reached the phone; the runner resets it. */
  wrote: boolean
  /** The name that the last target hit, where its text was only a part of it. Forgets it. */
  takeHit(): { matched?: string }
  /** Reads whether the screen is on, and caches it for `requireScreenOn`. */
  readScreenOn(): Promise<boolean>
  /** Reads the screen state, unless the cache says on. @throws ApiError phone_screen_off */
  requireScreenOn(): Promise<void>
  /** Reads the screen's size, and caches it for coordinates. */
  size(progress: Progress): Promise<Size>
  /**
   * The current tree: a new one, unless one was read within `freshMs` and nothing has
   * been sent since then.
   */
  tree(): Promise<ScreenTree>
  /** Always reads a new tree. */
  freshTree(): Promise<ScreenTree>
  /** The window that belongs to `tree`. */
  window(): Promise<WindowState>
  /** @throws TargetMiss, ApiError handoff_required */
  resolve(target: Target): Promise<Aim>
  /** Like `resolve`, on the given tree. */
  match(target: Target, tree: ScreenTree): Match
  /**
   * Sets `wrote` before the write starts; an error then leaves the outcome unknown.
   * `settleMs`: how long the screen takes to show the result.
   */
  write<T>(work: (progress: Progress) => Promise<T>, options: WriteOptions): Promise<T>
  gesture(strokes: readonly Stroke[]): Promise<void>
  key(code: number, meta?: number, settleMs?: number): Promise<void>
  /** Waits until the screen has settled after the last write. */
  settled(): Promise<void>
  /** Time, on the clock of `now`, at which the screen has settled after the last write. */
  readonly settledAt: number
}

export interface WriteOptions {
  /** Maximum time for the phone. */
  limitMs: number
  settleMs: number
}

export const settle = {
  /** A press or a move: ripple, switch, scroll. */
  touch: 250,
  /** Actions that open another screen. */
  navigation: 500,
} as const

/** A tree stays valid this long when nothing was sent. */
const freshMs = 500
/** For this long after a write, a missing target may still appear. */
const followMs = 1500
const readLimitMs = 20_000
const sizeLimitMs = 10_000

const powerKeys: ReadonlySet<number> = new Set(['power', 'wake', 'sleep'].map(keyCode))
/** For this long after a wake key, the screen may still turn on. */
const wakeMs = 2000
const wakePauseMs = 150
/** The `next` of `phone_screen_off`. */
export const wakeFirst = 'Run the action {"type": "key", "key": "wake"} first, then this one again.'

export function createContext(
  device: Device,
  snapshots: Snapshots,
  progress: Progress,
  now: () => number,
  guard: Guard | null,
  /** The screen may still be changing from an earlier batch. */
  screenSettlesAt = -Infinity,
): ActionContext {
  let seen: (ScreenRead & { at: number }) | null = null
  let size: { size: Size; afterWrite: number } | null = null
  let lastWriteAt = -Infinity
  let settledAt = screenSettlesAt
  let writes = 0
  let hit: string | null = null
  let power: 'unknown' | 'on' | 'changing' = 'unknown'

  const readSize = async (within: Progress): Promise<Size> => {
    const read = { size: await device.screen.size(within), afterWrite: writes }
    size = read
    return read.size
  }

  /**
   * A batch reads the size once; a point outside it is refused only after checking that
   * the screen has not rotated.
   */
  const matchCoordinates = async (target: Point): Promise<Match> => {
    const known = size ?? null
    const match = matchPoint(target, known?.size ?? (await readSize(progress.within(sizeLimitMs))))
    if (match.found || !known || known.afterWrite === writes) return match
    return matchPoint(target, await readSize(progress.within(sizeLimitMs)))
  }

  const press = (code: number, meta: number, settleMs: number): Promise<void> =>
    context.write((within) => device.input.key(code, meta, within), { limitMs: 5000, settleMs })

  const context: ActionContext = {
    device,
    progress,
    guard,
    now,
    wrote: false,
    takeHit() {
      const name = hit
      hit = null
      return name === null ? {} : { matched: name }
    },
    get settledAt() {
      return settledAt
    },
    size: readSize,
    async readScreenOn() {
      // A phone that does not report it counts as on.
      const on = (await device.power.isOn(progress.within(sizeLimitMs))) !== false
      if (on) power = 'on'
      return on
    },
    async requireScreenOn() {
      if (power === 'on') return
      const until = now() + (power === 'changing' ? wakeMs : 0)
      if (power === 'changing') await context.settled()
      while (!(await context.readScreenOn())) {
        if (now() >= until) throw new ApiError('phone_screen_off', { next: wakeFirst })
        await progress.sleep(wakePauseMs, 'waiting for the screen to turn on')
      }
    },
    async settled() {
      const left = settledAt - now()
      if (left > 0) await progress.sleep(left, 'waiting for the screen to settle')
    },
    async tree() {
      if (seen && seen.at > lastWriteAt && now() - seen.at <= freshMs) return seen.tree
      return context.freshTree()
    },
    async freshTree() {
      await context.settled()
      const read = await readScreen(device, progress.within(readLimitMs))
      seen = { ...read, at: now() }
      size = { size: read.tree.screen, afterWrite: writes }
      return read.tree
    },
    async window() {
      await context.tree()
      // `tree` has read it, unless another read failed in between.
      if (!seen) throw new Error('the screen was read without its window')
      return seen.window
    },
    match(target, tree) {
      const match = matchTarget(target, tree, (id, ref) => snapshots.find(id, ref))
      hit = match.found ? match.place.matched : null
      return match
    },
    async resolve(target) {
      for (let again = false; ; again = true) {
        const match = isPoint(target)
          ? await matchCoordinates(target)
          : context.match(target, await (again ? context.freshTree() : context.tree()))
        if (match.found) {
          guard?.aim(match.place)
          return match.place
        }
        const mayAppear = match.miss.code !== 'ambiguous_target' && match.miss.facts['reason'] !== 'unknown'
        if (isPoint(target) || !mayAppear || now() - lastWriteAt >= followMs) throw new TargetMiss(match.miss)
        await progress.sleep(settle.touch, 'waiting for the screen to settle')
      }
    },
    async write(work, { limitMs, settleMs }) {
      context.wrote = true
      writes += 1
      try {
        return await measured('input', () => work(progress.within(limitMs)))
      } finally {
        lastWriteAt = now()
        settledAt = lastWriteAt + settleMs
      }
    },
    gesture: (strokes) =>
      context.write((within) => device.input.gesture(strokes, within), {
        limitMs: lengthOf(strokes) + 5000,
        settleMs: settle.touch,
      }),
    key: (code, meta = 0, settleMs = settle.touch) => {
      if (!powerKeys.has(code)) return press(code, meta, settleMs)
      power = 'changing'
      return press(code, meta, settleMs).finally(() => device.power.forget())
    },
  }
  return context
}

/** The phone lacks a capability. */
export const unavailable = (feature: string): ApiError =>
  new ApiError('feature_unavailable', { details: { feature } })
