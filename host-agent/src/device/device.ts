/**
 * The one way in and out of a phone, made of small capabilities. A capability
 * that a phone lacks is null, and the API answers `feature_unavailable`. Each
 * may have several implementations; the probe chooses one.
 * Points in device pixels. Every method ends by its `progress`' deadline.
 * Errors: `ApiError` when the phone refused, `DeviceGone` when it is out of
 * reach, `DeadlineExceeded` when it did not answer.
 */
import type { Progress } from '@phonerack/shared'

export interface Point {
  x: number
  y: number
}

export interface Size {
  width: number
  height: number
}

/** One finger: down at the first point, up at the last; `atMs` counts from the gesture's start. */
export interface Stroke {
  points: readonly (Point & { atMs: number })[]
}

export interface Screen {
  /** Of the current rotation. */
  size(progress: Progress): Promise<Size>
  /** The whole screen as PNG, as the phone gives it. */
  png(progress: Progress): Promise<Uint8Array>
}

export interface Ui {
  /** The hierarchy as XML (`uiautomator dump`, or the UI server's page source). */
  source(progress: Progress): Promise<string>
}

export interface WindowState {
  /** Package in front; empty when it is not known. */
  package: string
  activity: string | null
  keyboardVisible: boolean
}

export interface Windows {
  read(progress: Progress): Promise<WindowState>
}

export interface Input {
  /**
   * Plays the strokes by their times (several at once: several fingers; one after another: taps in a row)
   * and returns when the last finger is up.
   */
  gesture(strokes: readonly Stroke[], progress: Progress): Promise<void>
  /** Press and release, `metaState` as Android's `KeyEvent`. */
  key(keyCode: number, metaState: number, progress: Progress): Promise<void>
}

export interface TextInput {
  /**
   * Sends text to the field that has the focus, at its cursor. Any Unicode, newlines included.
   * The caller makes sure a field has the focus and reads the result back.
   */
  type(text: string, progress: Progress): Promise<void>
}

export interface Apps {
  installed(packageName: string, progress: Progress): Promise<boolean>
  /** Starts the launcher activity, or `activity`. Returns when the package is in front, 10 s at most. @throws ApiError app_not_found */
  open(packageName: string, activity: string | null, progress: Progress): Promise<void>
  forceStop(packageName: string, progress: Progress): Promise<void>
  openUrl(url: string, progress: Progress): Promise<void>
}

export interface Power {
  wake(progress: Progress): Promise<void>
  sleep(progress: Progress): Promise<void>
}

export interface WipeCheck {
  name: string
  passed: boolean
  evidence: string
}

export interface Wipe {
  /** Wipes, and verifies on the device; never says `passed` for what it did not read. */
  run(progress: Progress): Promise<WipeCheck[]>
}

export interface Device {
  readonly serial: string
  readonly screen: Screen
  readonly ui: Ui
  readonly windows: Windows
  readonly input: Input
  readonly text: TextInput | null
  readonly apps: Apps
  readonly power: Power
  readonly wipe: Wipe | null
}

/** The phone left, or never was there: bytes may or may not have reached it. */
export class DeviceGone extends Error {
  constructor(serial: string, cause?: unknown) {
    super(`device ${serial} is out of reach`, cause === undefined ? undefined : { cause })
    this.name = 'DeviceGone'
  }
}
