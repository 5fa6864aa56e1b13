/** Builders of actions: `phone.act([tap({ text: 'Next' }), type('hello')])`. Each returns the object that the API takes. */
import type {
  Action,
  DescTarget,
  IdTarget,
  KeyAction,
  RefTarget,
  ScrollAction,
  ScrollToAction,
  Target,
  TextTarget,
  WaitForAction,
} from './generated/types.gen.js'

export type { Action }
/** An element of an observation is a target too. Its other fields are not sent. */
export type { Target }
/** A target that the phone's host searches on the screen when the action runs. */
export type SearchTarget = TextTarget | IdTarget | DescTarget
/** A target that can be waited for. */
export type WaitTarget = SearchTarget | RefTarget
export type Direction = ScrollAction['direction']
export type Key = KeyAction['key']

export const tap = (target: Target): Action => ({ type: 'tap', target: targetOf(target) })
export const doubleTap = (target: Target): Action => ({ type: 'double_tap', target: targetOf(target) })
export const longPress = (target: Target, options: { durationMs?: number } = {}): Action => ({
  type: 'long_press',
  target: targetOf(target),
  duration_ms: options.durationMs,
})

/** @param options `into`: a field to tap first; `clear`: replaces its text; `submit`: presses Enter afterwards */
export const type = (
  text: string,
  options: { into?: Target; clear?: boolean; submit?: boolean } = {},
): Action => ({
  type: 'type',
  text,
  target: optional(options.into),
  clear: options.clear,
  submit: options.submit,
})
export const clear = (target?: Target): Action => ({ type: 'clear', target: optional(target) })
export const key = (name: Key, modifiers?: KeyAction['modifiers']): Action => ({
  type: 'key',
  key: name,
  modifiers,
})
export const back = (): Action => ({ type: 'back' })
export const home = (): Action => ({ type: 'home' })
export const recents = (): Action => ({ type: 'recents' })
export const hideKeyboard = (): Action => ({ type: 'hide_keyboard' })

export const swipe = (from: Target, to: Target, options: { durationMs?: number } = {}): Action => ({
  type: 'swipe',
  from: targetOf(from),
  to: targetOf(to),
  duration_ms: options.durationMs,
})
/** @param options `holdMs`: before the movement, to pick the item up */
export const drag = (
  from: Target,
  to: Target,
  options: { holdMs?: number; durationMs?: number } = {},
): Action => ({
  type: 'drag',
  from: targetOf(from),
  to: targetOf(to),
  hold_ms: options.holdMs,
  duration_ms: options.durationMs,
})
/** @param scale above 1: zooms in; below 1: zooms out */
export const pinch = (target: Target, scale: number): Action => ({
  type: 'pinch',
  target: targetOf(target),
  scale,
})
/** @param options `amount`: the part of the scrollable area, 0 to 1 */
export const scroll = (direction: Direction, options: { target?: Target; amount?: number } = {}): Action => ({
  type: 'scroll',
  direction,
  target: optional(options.target),
  amount: options.amount,
})
export const scrollTo = (
  target: ScrollToAction['target'],
  options: { direction?: Direction; maxScrolls?: number } = {},
): Action => ({ type: 'scroll_to', target, direction: options.direction, max_scrolls: options.maxScrolls })

/** @param app its package, or its name on the phone as `label` */
export const openApp = (app: string | { label: string }, options: { activity?: string } = {}): Action => ({
  type: 'open_app',
  ...(typeof app === 'string' ? { package: app } : { label: app.label }),
  activity: options.activity,
})
export const closeApp = (packageName: string): Action => ({ type: 'close_app', package: packageName })
export const openUrl = (url: string): Action => ({ type: 'open_url', url })

export const wait = (ms: number): Action => ({ type: 'wait', ms })
/** @param options `timeout`: milliseconds; `state`: `gone` waits until the target has disappeared */
export const waitFor = (
  target: WaitTarget,
  options: { timeout?: number; state?: NonNullable<WaitForAction['state']> } = {},
): Action => ({
  type: 'wait_for',
  target: targetOf(target),
  timeout_ms: options.timeout,
  state: options.state,
})
export const waitIdle = (options: { timeout?: number } = {}): Action => ({
  type: 'wait_idle',
  timeout_ms: options.timeout,
})

/** @param options `timeout`: milliseconds, default 10,000 */
export const shell = (command: string, options: { timeout?: number; stdin?: string } = {}): Action => ({
  type: 'shell',
  command,
  stdin: options.stdin,
  timeout_ms: options.timeout,
})

/** An element has more fields than a target, and the API refuses unknown fields. */
export const targetOf = <T extends Target>(target: T): T =>
  'ref' in target ? ({ ref: target.ref, snapshot_id: target.snapshot_id } as T) : target

const optional = (target: Target | undefined): Target | undefined =>
  target === undefined ? undefined : targetOf(target)
