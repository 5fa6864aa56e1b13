/** Options and results of calls of a phone. */
import type { ActionBatchResult, ActionResult, RunActionsBody } from './generated/types.gen.js'
import type { Changes, Observation } from './observation.js'
import type { CallOptions } from './transport.js'

export interface ActOptions extends CallOptions {
  /**
   * The part of the screen to return after the last action. Default: `ui`. `changes` and `auto` compare it with the last screen
   * of this object.
   */
  observe?: RunActionsBody['observe']
}

/**
 * Options of an action on an element. The action can wait for the element; `deadline` is the time limit of the call.
 */
export interface TargetOptions extends CallOptions {
  /** Milliseconds to wait for the target to appear, at most 60,000; default: it must be there now. */
  timeout?: number
}

export interface ActResult {
  results: ActionResult[]
  /** The screen after the last action; null with `observe: 'none'`, `'screenshot'`, `'changes'` and `'auto'`. */
  observation: Observation | null
  /** With `observe: 'changes'` or `'auto'`: the changes since the last screen; null: not requested, or nothing was read. */
  changes: Changes | null
  /** The API's answer. */
  raw: ActionBatchResult
}

export interface ScreenshotOptions extends CallOptions {
  format?: 'png' | 'jpeg'
  /** Pixels. */
  maxWidth?: number
  /** 30 to 95, of a JPEG. */
  quality?: number
  /** Draws the numbers of the elements. */
  annotate?: boolean
}

export interface StartOptions extends CallOptions {
  /** Seconds without use until the phone parks. */
  idleTimeout?: number
  /** Seconds until the phone parks, even while it is used. */
  maxDuration?: number
  /** False: returns while the phone is still starting. */
  wait?: boolean
  /** `capacity`: how long to wait for a free phone, in milliseconds or such as `2m`. Default: the call fails immediately. */
  retry?: { capacity?: number | string }
}
