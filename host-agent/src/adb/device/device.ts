/**
 * The only interface to a phone, made of small capabilities. A capability that a phone
 * lacks is null, and the API answers `feature_unavailable`. Each may have several
 * implementations; the probe selects one. Points are in device pixels. Every method
 * ends by its `progress`' deadline. Errors: `ApiError` when the phone refused,
 * `DeviceGone` when it is unreachable, `DeadlineExceeded` when it did not answer.
 */
import type { Progress } from '@phonerack/shared'
import type { Capture } from './capture.js'
import type { Motion } from './motion.js'
import type { Shell } from './shell.js'
import type { Crashes, Logs, Notifications, Permissions } from './reports.js'

export { DeviceGone, notDone } from '../../base/device-gone.js'

export interface Point {
  x: number
  y: number
}

export interface Size {
  width: number
  height: number
}

/**
 * The path of one finger, which goes down at the first point and up at the last point. `atMs` counts from the start of
 * the gesture.
 */
export interface Stroke {
  points: readonly (Point & { atMs: number })[]
}

export interface Screen {
  /** Returns the size in the current rotation. */
  size(progress: Progress): Promise<Size>
  /** Returns the whole screen as PNG, as captured by the phone. */
  png(progress: Progress): Promise<Uint8Array>
}

export interface Ui {
  /**
   * Returns the hierarchy as XML (`uiautomator dump`, or the UI server's page source). `refresh`: clears Android's
   * cache of the screen first.
   */
  source(progress: Progress, refresh?: boolean): Promise<string>
}

export interface WindowState {
  /** Foreground package; empty when unknown. */
  package: string
  activity: string | null
  keyboardVisible: boolean
  /** The keyboard's package; null when the phone does not report it. */
  keyboardPackage: string | null
  /**
   * A system dialog, such as "… has stopped", has the focus and receives every touch.
   * `package` is the app behind it.
   */
  systemDialog: boolean
  /** False only when the phone reports that its screen is off. */
  screenOn: boolean
}

export interface Windows {
  read(progress: Progress): Promise<WindowState>
}

export interface Input {
  /**
   * Plays the strokes at their times (simultaneous strokes are several fingers, consecutive strokes a series
   * of taps) and returns when the last finger is up.
   */
  gesture(strokes: readonly Stroke[], progress: Progress): Promise<void>
  /** Press and release; `metaState` as in Android's `KeyEvent`. */
  key(keyCode: number, metaState: number, progress: Progress): Promise<void>
}

export type TouchPhase = 'down' | 'move' | 'up' | 'cancel'

/** A person's input, sent as it arrives. Each call returns once the input is sent. */
export interface LiveInput {
  /** @param pointer any number, which stays the same from down to up */
  touch(phase: TouchPhase, pointer: number, point: Point, progress: Progress): Promise<void>
  key(down: boolean, keyCode: number, metaState: number, repeat: number, progress: Progress): Promise<void>
  /** Wheel steps, -16 to 16: positive to the right and up. */
  scroll(point: Point, horizontal: number, vertical: number, progress: Progress): Promise<void>
  /** Rotates the screen by 90 degrees. */
  rotate(progress: Progress): Promise<void>
}

/** What can make a picture of the screen black. */
export interface SecureWindowState {
  asleep: boolean
  locked: boolean
  /** A window that forbids screenshots (FLAG_SECURE) is on the screen. */
  secure: boolean
}

export interface SecureWindow {
  /** Returns the state, at most a few seconds old. `refresh`: reads the state now. */
  read(progress: Progress, refresh?: boolean): Promise<SecureWindowState>
}

/** A field as named by the UI tree, so that a method that searches for the field finds the same field. */
interface FieldName {
  className: string
}

/** Text that was sent; the caller reads the field before `release`. */
export interface SentText {
  /** False when the connection broke while the text was sent, so the field may or may not contain the text. */
  sure: boolean
  /**
   * Restores the clipboard and keyboard that the method replaced. Has a separate deadline and never throws.
   */
  release(): Promise<void>
}

/** One method of entering text into the focused field. */
export interface TextMethod {
  readonly name: 'keys' | 'set-text' | 'paste' | 'input-text' | 'keyboard'
  /**
   * `insert`: inserts at the cursor, and the app may apply the text a moment later. `replace`: replaces the
   * field's whole content, complete when the call returns; idempotent.
   */
  readonly mode: 'insert' | 'replace'
  accepts(text: string): boolean
  /** Returns the maximum duration in milliseconds. */
  limitMs(text: string): number
  /** @throws TextMethodUnavailable when no part of the text entered the field */
  send(text: string, field: FieldName | null, progress: Progress): Promise<SentText>
}

/** This method does not work now, or not for this field. The method changed nothing. */
export class TextMethodUnavailable extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.name = 'TextMethodUnavailable'
  }
}

/** The element with the input focus. */
export interface FocusedText {
  className: string
  /** The resource ID; empty: none. */
  id: string
  password: boolean
  /** The text that it shows, which may be its hint. */
  text: string
  /** Reads the text again; null: unknown. @throws DeviceGone, DeadlineExceeded */
  again(progress: Progress): Promise<string | null>
}

export interface TextInput {
  /**
   * The methods, the best first. The caller makes sure that a field has the focus, reads the result back, and tries the
   * next method only when it knows the field's content.
   */
  readonly methods: readonly TextMethod[]
  /**
   * Finds the element with the input focus, sooner than a tree is read; null: none has it, or the phone cannot say. Null: the
   * phone has no such way. @throws DeviceGone, DeadlineExceeded
   */
  readonly focused: ((progress: Progress) => Promise<FocusedText | null>) | null
}

export interface OpenedApp {
  /** The class of the activity that was started. */
  activity: string
  /** The app in front. */
  app: Pick<WindowState, 'package' | 'activity'>
}

export interface Apps {
  installed(packageName: string, progress: Progress): Promise<boolean>
  /**
   * Starts the launcher activity, or `activity`. Returns when the package, or a dialog of another package, is
   * in the foreground, within 10 s.
   * @throws ApiError app_not_found
   */
  open(packageName: string, activity: string | null, progress: Progress): Promise<OpenedApp>
  forceStop(packageName: string, progress: Progress): Promise<void>
  openUrl(url: string, progress: Progress): Promise<void>
}

export interface Power {
  /**
   * Whether the screen is on; null when the phone does not report it. A result of true
   * is cached for a second.
   */
  isOn(progress: Progress): Promise<boolean | null>
  /** Clears the cache of `isOn`, after a key that may have changed the state. */
  forget(): void
  wake(progress: Progress): Promise<void>
  sleep(progress: Progress): Promise<void>
  /**
   * Requests a restart. Returns once the phone has disconnected, without waiting for its return.
   * @throws ApiError when the phone refuses
   */
  reboot(progress: Progress): Promise<void>
}

/** The phone's properties; null for properties that the phone does not report. */
export interface DeviceInfo {
  brand: string | null
  model: string | null
  osVersion: string | null
  /** Pixels in the current rotation, and dots per inch. */
  screen: Size & { density: number }
  carrier: string | null
}

export interface Info {
  read(progress: Progress): Promise<DeviceInfo>
}

export interface Clipboard {
  /**
   * Returns the text, which is empty for an empty clipboard. @throws ApiError clipboard_unavailable when the phone
   * forbids reading it
   */
  get(progress: Progress): Promise<string>
  set(text: string, progress: Progress): Promise<void>
}

/** Degrees, WGS 84. */
export interface Coordinates {
  latitude: number
  longitude: number
}

export interface Location {
  /** Null while the host's default applies. */
  get(progress: Progress): Promise<Coordinates | null>
  /** Sets the location, which persists over restarts until the next call. Null restores the default. */
  set(location: Coordinates | null, progress: Progress): Promise<void>
}

export interface Locale {
  /** Returns a BCP 47 tag. */
  get(progress: Progress): Promise<string>
  /** Returns the locale that the phone then reports. */
  set(locale: string, progress: Progress): Promise<string>
}

export interface Timezone {
  /** Returns the IANA name, or null while the default applies. */
  get(progress: Progress): Promise<string | null>
  /** Null resets the time zone to the default. Returns the time zone that the phone then reports. */
  set(timezone: string | null, progress: Progress): Promise<string | null>
}

export interface FileEntry {
  name: string
  type: 'file' | 'directory' | 'other'
  /** Bytes. */
  size: number
  modifiedAt: Date | null
}

/**
 * Shared storage; paths begin with `/sdcard` and contain no `.` or `..`. @throws
 * ApiError file_not_found, validation_failed
 */
export interface Files {
  list(path: string, progress: Progress): Promise<FileEntry[]>
  read(path: string, progress: Progress): Promise<Uint8Array>
  /** Creates missing folders. Returns the size that the phone then reports, in bytes. */
  write(path: string, content: Uint8Array, progress: Progress): Promise<number>
  delete(path: string, progress: Progress): Promise<void>
}

export interface InstalledApp {
  package: string
  label: string
  versionName: string
  versionCode: number
  /** Whether the app is preinstalled. */
  system: boolean
}

/** The phone's own error text for a refused install, such as `INSTALL_FAILED_OLDER_SDK`. */
export class InstallRefused extends Error {
  constructor(readonly reason: string) {
    super(`the phone refused the install: ${reason}`)
    this.name = 'InstallRefused'
  }
}

/** A file on this host that has changed since it was stored. */
export class InstallFileBroken extends Error {
  constructor(readonly sha256: string) {
    super(`the package file ${sha256} is broken`)
    this.name = 'InstallFileBroken'
  }
}

export interface InstallFile {
  /** The file's path on this host. */
  path: string
  /** Hex. */
  sha256: string
  /** Bytes. */
  size: number
}

/**
 * Callbacks for the steps of an install: its session on the phone, and the moment from which the app may change.
 */
interface InstallSteps {
  onSession(session: number): void
  onCommit(): void
}

/** Distinguishes one install of an app from the next. */
export interface InstalledVersion {
  versionCode: number
  /** Path of the app's base APK on the phone; each install gets a new path. */
  path: string
  system: boolean
}

/** An app's requirements, read from its files. */
export interface AppNeeds {
  /** 0 when the app does not declare a minimum. */
  minSdk: number
  /** The Android preview that the app requires; empty when there is none. */
  minCodename: string
  /** 0 when the app does not declare a target. */
  targetSdk: number
  /** ABIs of the app's native code; empty when it has no native code. */
  abis: readonly string[]
  /** Whether the app is signed only with scheme v1 (JAR). */
  jarOnly: boolean
}

export interface Packages {
  /** Lists all apps except the agent's helper apps. */
  list(progress: Progress): Promise<InstalledApp[]>
  /** Null when the app is not installed. */
  find(packageName: string, progress: Progress): Promise<InstalledVersion | null>
  /**
   * Tests whether the phone is compatible with an app, before anything is changed on the phone. `isNew`: the
   * app is absent, or will be removed before the install.
   * @throws ApiError install_failed
   */
  requireCompatible(packageName: string, needs: AppNeeds, isNew: boolean, progress: Progress): Promise<void>
  /** Checks that the phone reports enough space for the app's files. @throws InstallRefused */
  requireSpace(packageName: string, totalBytes: number, progress: Progress): Promise<void>
  /**
   * Installs base and splits of one package in one session. If the session was created and not committed, the
   * caller must abandon it.
   * @throws InstallRefused, InstallFileBroken
   */
  install(
    packageName: string,
    files: readonly InstallFile[],
    steps: InstallSteps,
    progress: Progress,
  ): Promise<void>
  /** Abandons a session and deletes its files. A session that has ended is not an error. */
  abandon(session: number, progress: Progress): Promise<void>
  /** @throws ApiError app_not_found */
  uninstall(packageName: string, progress: Progress): Promise<void>
}

export interface Device {
  readonly serial: string
  readonly screen: Screen
  readonly ui: Ui
  readonly windows: Windows
  readonly secureWindow: SecureWindow
  readonly input: Input
  readonly text: TextInput | null
  readonly liveInput: LiveInput | null
  readonly apps: Apps
  readonly shell: Shell
  readonly power: Power
  readonly info: Info | null
  readonly clipboard: Clipboard | null
  readonly location: Location | null
  readonly locale: Locale | null
  readonly timezone: Timezone | null
  readonly files: Files | null
  readonly packages: Packages | null
  readonly logs: Logs | null
  readonly crashes: Crashes | null
  readonly notifications: Notifications | null
  readonly permissions: Permissions | null
  /** The screen as video. */
  readonly video: Capture | null
  /** The times at which the screen is drawn. */
  readonly motion: Motion | null
}
