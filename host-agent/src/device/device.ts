/**
 * The one way in and out of a phone, made of small capabilities. A capability
 * that a phone lacks is null, and the API answers `feature_unavailable`. Each
 * may have several implementations; the probe chooses one.
 * Points in device pixels. Every method ends by its `progress`' deadline.
 * Errors: `ApiError` when the phone refused, `DeviceGone` when it is out of
 * reach, `DeadlineExceeded` when it did not answer.
 */
import type { Progress } from '@phonerack/shared'
import type { Capture } from './capture.js'

export { DeviceGone } from '../base/device-gone.js'

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
  /**
   * The hierarchy as XML (`uiautomator dump`, or the UI server's page source). `anew`: also what Android
   * remembers of the screen is read again.
   */
  source(progress: Progress, anew?: boolean): Promise<string>
}

export interface WindowState {
  /** Package in front; empty when it is not known. */
  package: string
  activity: string | null
  keyboardVisible: boolean
  /** A dialog of the system, such as "… has stopped", has the focus and takes every touch. `package` is the app behind it. */
  systemDialog: boolean
  /** False only when the phone says that its screen is off. */
  screenOn: boolean
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

export type TouchPhase = 'down' | 'move' | 'up' | 'cancel'

/** What a person's hand does, as it comes. Each returns once it is on its way. */
export interface LiveInput {
  /** `pointer`: any number, the same from down to up. */
  touch(phase: TouchPhase, pointer: number, point: Point, progress: Progress): Promise<void>
  key(down: boolean, keyCode: number, metaState: number, repeat: number, progress: Progress): Promise<void>
  /** Wheel steps, -16 to 16: positive to the right and up. */
  scroll(point: Point, horizontal: number, vertical: number, progress: Progress): Promise<void>
  /** By a quarter. */
  rotate(progress: Progress): Promise<void>
}

/** Why a picture of the screen may be black. */
export interface SecureWindowState {
  asleep: boolean
  locked: boolean
  /** A window that lets no picture be taken of it (FLAG_SECURE) is on the screen. */
  secure: boolean
}

export interface SecureWindow {
  /** At most some seconds old; `anew`: read now. */
  read(progress: Progress, anew?: boolean): Promise<SecureWindowState>
}

/** A field as the tree names it, so that a way that looks for it by itself finds the same one. */
export interface FieldName {
  className: string
}

/** What was sent; whoever sent it reads the field before `release`. */
export interface SentText {
  /** False: the connection broke in the middle, so that the field may hold it or not. */
  sure: boolean
  /** Gives back what was borrowed for it (clipboard, keyboard). Ends by a deadline of its own and never throws. */
  release(): Promise<void>
}

/** One way of bringing text into the field that has the focus. */
export interface TextWay {
  readonly name: 'keys' | 'set-text' | 'paste' | 'input-text' | 'keyboard'
  /**
   * `insert`: at the cursor, and the app may take it a moment later. `replace`: instead of all that the field
   * holds, done when it returns; doing it twice is doing it once.
   */
  readonly does: 'insert' | 'replace'
  takes(text: string): boolean
  /** Milliseconds that it may take at most. */
  limitMs(text: string): number
  /** @throws TextNotTaken when surely nothing of it came into the field */
  send(text: string, field: FieldName | null, progress: Progress): Promise<SentText>
}

/** This way does not work now, or not for this field, and changed nothing. */
export class TextNotTaken extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.name = 'TextNotTaken'
  }
}

export interface TextInput {
  /**
   * The better first. The caller makes sure that a field has the focus, reads the result back, and takes the
   * next way only when it is certain what the field holds.
   */
  readonly ways: readonly TextWay[]
}

export interface Apps {
  installed(packageName: string, progress: Progress): Promise<boolean>
  /** Starts the launcher activity, or `activity`. Returns when the package is in front, 10 s at most. @throws ApiError app_not_found */
  open(packageName: string, activity: string | null, progress: Progress): Promise<void>
  forceStop(packageName: string, progress: Progress): Promise<void>
  openUrl(url: string, progress: Progress): Promise<void>
}

export interface Power {
  /** Whether the screen is on; null when the phone does not say. That it is on is remembered for a second. */
  isOn(progress: Progress): Promise<boolean | null>
  /** The next `isOn` asks the phone: a key was sent that may have changed it. */
  forget(): void
  wake(progress: Progress): Promise<void>
  sleep(progress: Progress): Promise<void>
  /** Orders a restart; returns once the phone has gone, and does not wait for its return. @throws ApiError when it refuses */
  reboot(progress: Progress): Promise<void>
}

/** What the phone says of itself; null for what it does not report. */
export interface DeviceInfo {
  brand: string | null
  model: string | null
  osVersion: string | null
  /** Pixels of the current rotation, and dots per inch. */
  screen: Size & { density: number }
  carrier: string | null
}

export interface Info {
  read(progress: Progress): Promise<DeviceInfo>
}

export interface Clipboard {
  /** Empty for an empty clipboard. @throws ApiError clipboard_unavailable when the phone does not let it be read */
  get(progress: Progress): Promise<string>
  set(text: string, progress: Progress): Promise<void>
}

/** Degrees, WGS 84. */
export interface Coordinates {
  latitude: number
  longitude: number
}

export interface Location {
  /** Null while it is the host's default. */
  get(progress: Progress): Promise<Coordinates | null>
  /** Stays set, over a restart too, until it is set anew; null: back to the default. */
  set(location: Coordinates | null, progress: Progress): Promise<void>
}

export interface Locale {
  /** BCP 47. */
  get(progress: Progress): Promise<string>
  /** Returns what the phone says afterwards. */
  set(locale: string, progress: Progress): Promise<string>
}

export interface Timezone {
  /** IANA name, or null while the default applies. */
  get(progress: Progress): Promise<string | null>
  /** Null: back to the default. Returns what the phone says afterwards. */
  set(timezone: string | null, progress: Progress): Promise<string | null>
}

export interface FileEntry {
  name: string
  type: 'file' | 'directory' | 'other'
  /** Bytes. */
  size: number
  modifiedAt: Date | null
}

/** Shared storage; paths begin with `/sdcard` and hold no `.` or `..`. @throws ApiError file_not_found, validation_failed */
export interface Files {
  list(path: string, progress: Progress): Promise<FileEntry[]>
  read(path: string, progress: Progress): Promise<Uint8Array>
  /** Makes missing folders. Returns the size that the phone tells afterwards, in bytes. */
  write(path: string, content: Uint8Array, progress: Progress): Promise<number>
  delete(path: string, progress: Progress): Promise<void>
}

export interface InstalledApp {
  package: string
  label: string
  versionName: string
  versionCode: number
  /** Came with the phone. */
  system: boolean
}

/** The phone's own words for a refused install, such as `INSTALL_FAILED_OLDER_SDK`. */
export class InstallRefused extends Error {
  constructor(readonly reason: string) {
    super(`the phone refused the install: ${reason}`)
    this.name = 'InstallRefused'
  }
}

/** A file of this host, which is not what it was when it was put there. */
export class InstallFileBroken extends Error {
  constructor(readonly sha256: string) {
    super(`the package file ${sha256} is broken`)
    this.name = 'InstallFileBroken'
  }
}

export interface InstallFile {
  /** On this host. */
  path: string
  /** Hex. */
  sha256: string
  /** Bytes. */
  size: number
}

/** How far an install is: what it leaves on the phone, and from when on the app may change. */
export interface InstallSteps {
  onSession(session: number): void
  onCommit(): void
}

/** What tells one install of an app from the next. */
export interface InstalledVersion {
  versionCode: number
  /** Of its base APK on the phone; a new one with each install. */
  path: string
  system: boolean
}

/** What an app needs of a phone, as its files say. */
export interface AppNeeds {
  /** 0: not stated. */
  minSdk: number
  /** The preview of Android that it needs; empty: none. */
  minCodename: string
  /** 0: not stated. */
  targetSdk: number
  /** With native code for these; empty: without native code. */
  abis: readonly string[]
  /** Signed by scheme v1 (JAR) alone. */
  jarOnly: boolean
}

export interface Packages {
  /** All but the agent's own. */
  list(progress: Progress): Promise<InstalledApp[]>
  /** Null when it is not installed. */
  find(packageName: string, progress: Progress): Promise<InstalledVersion | null>
  /**
   * Whether the phone can take an app, before anything is changed on it. `isNew`: it does not have the app, or will have
   * lost it before the install.
   * @throws ApiError install_failed
   */
  requireFit(packageName: string, needs: AppNeeds, isNew: boolean, progress: Progress): Promise<void>
  /** Whether the phone says that it has room for the app's files. @throws InstallRefused */
  requireRoom(packageName: string, totalBytes: number, progress: Progress): Promise<void>
  /**
   * Installs base and splits, all of the package, in one session. A session that was made and not committed is the
   * caller's to give up.
   * @throws InstallRefused, InstallFileBroken
   */
  install(
    packageName: string,
    files: readonly InstallFile[],
    steps: InstallSteps,
    progress: Progress,
  ): Promise<void>
  /** Gives a session up with what was written to it; one that is over is no error. */
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
  readonly power: Power
  readonly info: Info | null
  readonly clipboard: Clipboard | null
  readonly location: Location | null
  readonly locale: Locale | null
  readonly timezone: Timezone | null
  readonly files: Files | null
  readonly packages: Packages | null
  /** The screen as video. */
  readonly video: Capture | null
}
