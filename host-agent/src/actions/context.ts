/**
 * The state that the actions of one batch share: the phone, its screen, and the writes so far. Reads wait until the
 * screen has settled after the last write (`screen/looks.ts`); writes do not wait.
 */
import { ApiError, type Progress, type Target } from '@phonerack/shared'
import type { Device, Point, Size, Stroke, WindowState } from '../adb/device/device.js'
import { measured, type Part } from '../base/metrics/instruments.js'
import type { ScreenTree } from '../screen/elements.js'
import type { Look, LookOptions, Looks, WriteKind } from '../screen/looks.js'
import type { Snapshots } from '../screen/snapshots.js'
import type { Effects } from './effects.js'
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
  /** Null when the request allows all actions. */
  readonly guard: Guard | null
  /** Milliseconds on a monotonic clock. */
  readonly now: () => number
  /** True once the running action may have reached the phone; the runner resets it. */
  wrote: boolean
  /** Bytes of the JSON of all shell results in this batch. */
  shellOutput: number
  /**
   * Returns and clears the full name that the last target matched, when the target's text was only a part of that name.
   */
  takeHit(): { matched?: string }
  /** Reads whether the screen is on, and caches it for `requireScreenOn`. */
  readScreenOn(): Promise<boolean>
  /** Reads the screen state, unless the cache says on. @throws ApiError phone_screen_off */
  requireScreenOn(): Promise<void>
  /** Reads the screen's size, and caches it for coordinates. */
  size(progress: Progress): Promise<Size>
  /** Returns a tree that was read in the last half second if no write followed it, otherwise `currentTree`. */
  tree(): Promise<ScreenTree>
  /** Reads a new tree, or returns the last tree if nothing was drawn after it. */
  currentTree(): Promise<ScreenTree>
  /**
   * Reads the tree after the next drawing, for which it waits at most a second or `mostMs`. Without a signal, it reads
   * a new tree after `pollMs`.
   */
  nextTree(pollMs: number, what: string, mostMs?: number): Promise<ScreenTree>
  /** Waits like `nextTree`, but reads nothing. */
  untilDrawn(pollMs: number, what: string): Promise<void>
  /** Returns the milliseconds since the last drawing. Null when unknown. */
  stillFor(): number | null
  /** Returns the window state that was read together with `tree`. */
  window(): Promise<WindowState>
  /** @throws TargetMiss, ApiError handoff_required */
  resolve(target: Target): Promise<Aim>
  /** Resolves the target on the given tree. */
  match(target: Target, tree: ScreenTree): Match
  /**
   * Sets `wrote` before the write starts; an error then leaves the outcome unknown.
   */
  write<T>(work: (progress: Progress) => Promise<T>, options: WriteOptions): Promise<T>
  gesture(strokes: readonly Stroke[]): Promise<void>
  key(code: number, meta?: number, kind?: WriteKind): Promise<void>
  /** Waits until the screen has settled after the last write. */
  settled(): Promise<void>
}

export interface WriteOptions {
  /** Maximum milliseconds of the call into the phone. */
  limitMs: number
  kind: WriteKind
  /** The `part` label of the metric. Default: `input`. */
  part?: Part
}

/** For this long after a write, a missing target may still appear. */
const followMs = 1500
const followPollMs = 250
const readLimitMs = 20_000
const sizeLimitMs = 10_000

const powerKeys: ReadonlySet<number> = new Set(['power', 'wake', 'sleep'].map(keyCode))
/** For this long after a wake key, the screen may still turn on. */
const wakeMs = 2000
const wakePauseMs = 150
/** The `next` of `phone_screen_off`. */
export const wakeFirst = 'Run the action {"type": "key", "key": "wake"} first, then this action again.'

export interface ContextParts {
  device: Device
  snapshots: Snapshots
  looks: Looks
  effects: Effects
  guard: Guard | null
  progress: Progress
  /** Trees that were read before the batch are read again. */
  fresh: boolean
}

export function createContext(parts: ContextParts): ActionContext {
  const { device, snapshots, looks, effects, guard, progress, fresh } = parts
  const { now } = looks
  const beganAt = now()
  let size: { size: Size; afterWrite: number } | null = null
  let lastWriteAt = -Infinity
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

  const press = (code: number, meta: number, kind: WriteKind): Promise<void> =>
    context.write((within) => device.input.key(code, meta, within), { limitMs: 5000, kind })

  const look = async (options: LookOptions): Promise<Look> => {
    const found = await looks.look(device, progress.within(readLimitMs), options)
    size = { size: found.tree.screen, afterWrite: writes }
    return found
  }

  const context: ActionContext = {
    device,
    progress,
    guard,
    now,
    wrote: false,
    shellOutput: 0,
    takeHit() {
      const name = hit
      hit = null
      return name === null ? {} : { matched: name }
    },
    size: readSize,
    async readScreenOn() {
      // A screen whose state the phone does not report counts as on.
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
    // The progress of a wait (`stoppable`) differs from the progress of the batch.
    settled() {
      return looks.settle(device, this.progress)
    },
    tree: async () => (await look({ fresh, since: beganAt })).tree,
    currentTree: async () => (await look({ fresh })).tree,
    async nextTree(pollMs, what, mostMs = Infinity) {
      const isSame = await looks.untilDrawn(device, pollMs, mostMs, this.progress, what)
      return (await look({ fresh: fresh || isSame })).tree
    },
    async untilDrawn(pollMs, what) {
      await looks.untilDrawn(device, pollMs, Infinity, this.progress, what)
    },
    stillFor: () => looks.stillFor(device),
    window: async () => (await look({ fresh, since: beganAt })).window,
    match(target, tree) {
      const match = matchTarget(target, tree, (id) => snapshots.find(id))
      hit = match.found ? match.place.matched : null
      return match
    },
    async resolve(target) {
      let tree: ScreenTree | null = null
      for (;;) {
        const match = isPoint(target)
          ? await matchCoordinates(target)
          : context.match(target, (tree ??= await context.tree()))
        if (match.found) {
          guard?.aim(match.place)
          effects.aims(match.place)
          return match.place
        }
        const mayAppear = match.miss.code !== 'ambiguous_target' && match.miss.facts['reason'] !== 'unknown'
        if (isPoint(target) || !mayAppear) throw new TargetMiss(match.miss)
        if (now() - lastWriteAt < followMs)
          tree = await context.nextTree(followPollMs, 'waiting for the screen to settle')
        // A tree from before the batch is read again, since the screen can change without a drawing.
        else if (looks.lookedAt < beganAt) tree = (await look({ fresh: true })).tree
        else throw new TargetMiss(match.miss)
      }
    },
    async write(work, { limitMs, kind, part = 'input' }) {
      context.wrote = true
      writes += 1
      effects.writes()
      const writeBeganAt = now()
      try {
        return await measured(part, () => work(progress.within(limitMs)))
      } finally {
        lastWriteAt = now()
        looks.wrote({ kind, beganAt: writeBeganAt, endedAt: lastWriteAt })
        effects.wrote(kind)
        // A command may have turned the screen off.
        if (part === 'shell') power = 'unknown'
      }
    },
    gesture: (strokes) =>
      context.write((within) => device.input.gesture(strokes, within), {
        limitMs: lengthOf(strokes) + 5000,
        kind: 'touch',
      }),
    key: (code, meta = 0, kind = 'touch') => {
      if (!powerKeys.has(code)) return press(code, meta, kind)
      power = 'changing'
      return press(code, meta, kind).finally(() => device.power.forget())
    },
  }
  return context
}

/** Returns the error for a capability that the phone lacks. */
export const unavailable = (feature: string): ApiError =>
  new ApiError('feature_unavailable', { details: { feature } })
