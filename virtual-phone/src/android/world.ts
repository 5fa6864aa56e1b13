/**
 * The interface of the running Android for the shell's commands and the scrcpy server: its screen, its input,
 * its windows. `ui/` implements it; `shell/`, `adbd/` and `scrcpy/` use it and do not depend on its drawing.
 * Points and sizes in device pixels of the current rotation.
 */

import type { AccessibilityWindow } from './accessibility.js'

export interface Display {
  width: number
  height: number
  /** Dots per inch. */
  density: number
  /** Quarter turns counter-clockwise: 0 to 3. */
  rotation: number
}

export interface FocusedWindow {
  package: string
  /** Full class name, for example `com.android.settings.Settings`. */
  activity: string
}

export interface InputMethodState {
  /** The keyboard is visible. */
  shown: boolean
  /** A text field has the input connection. */
  served: boolean
  /** `EditorInfo.inputType` of that field, 0 without one. */
  inputType: number
}

export type TouchAction = 'down' | 'move' | 'up' | 'cancel'
export type KeyAction = 'down' | 'up'

export interface Intent {
  action?: string | undefined
  data?: string | undefined
  package?: string | undefined
  /** Package and full class name. */
  component?: { package: string; className: string } | undefined
  categories: readonly string[]
  extras: Readonly<Record<string, string>>
}

export type StartResult =
  | { kind: 'started'; window: FocusedWindow }
  /** It was in front already and got the intent. */
  | { kind: 'delivered'; window: FocusedWindow }
  | { kind: 'not_found' }

/** A launchable app: installed by the shell's `pm` or built in. */
export interface AppEntry {
  package: string
  label: string
  versionName: string
  versionCode: number
  system: boolean
  /** Full class name of the activity that the launcher starts; null when it has none. */
  launcherActivity: string | null
  uid: number
  /** A PNG or WebP in Base64, of an app that brought one. */
  icon?: string
}

export interface GeoPoint {
  /** Degrees, WGS 84. */
  latitude: number
  longitude: number
}

export interface PhoneNotification {
  package: string
  /** One of its app; a second one of the same name takes its place. */
  id: string
  title: string
  text: string
  whenMs: number
  /** The user cannot swipe it away. */
  ongoing?: boolean
}

/** An event of an app, for the logs. */
export type Incident =
  /** An activity came on the screen that was not there. */
  | { kind: 'started'; package: string; className: string }
  /** The process ends after this. */
  | { kind: 'crash'; package: string }
  | { kind: 'not_responding'; package: string }
  | { kind: 'posted'; notification: PhoneNotification; isUpdate: boolean }
  | { kind: 'cancelled'; package: string; id: string }

/** A setting or property that somebody changed on the screen, as the shell would see it. */
export interface SystemChange {
  table: 'system' | 'secure' | 'global' | 'property'
  name: string
  value: string
}

/** The lock screen's credential, which the Settings app sets and the shell's `locksettings` too. */
export interface ScreenLock {
  isSet(): boolean
  /** Null removes it. */
  set(pin: string | null): void
}

export interface World {
  readonly display: Display
  readonly focused: FocusedWindow
  /** The system's dialog in front of the `focused` app; null for none. */
  readonly systemDialog: { kind: 'crash' | 'not_responding'; package: string } | null
  readonly inputMethod: InputMethodState
  readonly awake: boolean
  /** The activity's window is black in pictures (FLAG_SECURE). */
  readonly secure: boolean

  /** PNG with alpha, as `screencap -p` prints it. Black while asleep. */
  screenshotPng(): Promise<Buffer>
  /** Width × height × 4 bytes, RGBA. @param size drawn this large, for a video; without it as large as the display */
  screenshotRgba(size?: { width: number; height: number }): Promise<Buffer>
  /**
   * The XML that `uiautomator dump` writes, from the layout that is also used for drawing and hit tests: the
   * nodes of the active window (a dialog or the shade when it is in front). It does not contain the keyboard,
   * see `inputMethod`.
   */
  hierarchyXml(): string
  /** The windows on the screen as accessibility services see them, the frontmost first; none while asleep. */
  accessibilityWindows(): readonly AccessibilityWindow[]

  touch(action: TouchAction, pointerId: number, x: number, y: number): void
  /** Android key code and meta state. */
  key(action: KeyAction, keyCode: number, metaState: number): void
  /** Mouse wheel: positive `vertical` scrolls up, in notches. */
  scroll(x: number, y: number, horizontal: number, vertical: number): void
  /** Commits text into the focused field, as a key map that has all these characters would; returns false when no field takes it. */
  commitText(text: string): boolean

  /** Empty string when there is none. */
  readonly clipboard: string
  setClipboard(text: string): void
  /** Inserts the clipboard at the focused field's selection, as KEYCODE_PASTE does. */
  paste(): void
  onClipboardChange(listener: (text: string) => void): () => void

  startActivity(intent: Intent): StartResult
  forceStop(packageName: string): void
  /** Ends the app and removes its data. */
  clearData(packageName: string): void
  /** Permissions that a built-in app asks for, by name; true: granted. */
  permissionsOf(packageName: string): ReadonlyMap<string, boolean>
  /** Has no effect for a permission that the app does not ask for. */
  setPermission(packageName: string, name: string, granted: boolean): void
  /** Packages with a task: opened, and neither stopped nor swiped away. The one in front comes first. */
  runningApps(): readonly string[]
  builtInApps(): readonly AppEntry[]
  /** Built-in and installed apps that have a launcher activity. */
  launchableApps(): readonly AppEntry[]
  /** Apps installed by `pm`, shown in the launcher, each with a plain screen. */
  setInstalledApps(apps: readonly AppEntry[]): void

  /** The last change by the Settings app or `setConfiguration`. */
  readonly configuration: Readonly<{ locale: string; timeZone: string; night: boolean; fontScale: number }>

  wake(): void
  sleep(): void
  setRotation(rotation: number): void
  /** `settings put` of a value that the world shows (locale, time zone, font scale, night mode). */
  setConfiguration(change: { locale?: string; timeZone?: string; night?: boolean }): void
  /** A value of the settings provider that the world shows; others are passed over. */
  applySetting(table: 'system' | 'secure' | 'global', name: string, value: string | null): void
  /** Calls `listener` for each setting and property that the screen changed. */
  onSystemChange(listener: (change: SystemChange) => void): () => void
  /** Where the Settings app sets a screen lock; without it, it keeps none. */
  connectScreenLock(lock: ScreenLock): void
  /** Where the phone believes to be; null when it does not know. */
  readonly location: GeoPoint | null
  setLocation(point: GeoPoint | null): void
  readonly batteryPercent: number
  setBattery(percent: number): void
  readonly notifications: readonly PhoneNotification[]
  notify(notification: PhoneNotification): void
  cancelNotification(packageName: string, id: string): void
  /** "… has stopped": the app ends and the dialog appears in front. */
  showCrash(packageName: string): void
  /** "… isn't responding", with Close app and Wait. */
  showNotResponding(packageName: string): void
  /** The keyguard is in front; a swipe up or `setLocked(false)` removes it. It does not ask for a PIN. */
  readonly locked: boolean
  setLocked(locked: boolean): void
  /** False while something on the screen moves by itself; `uiautomator dump` gives up then. */
  readonly idle: boolean
  /** Something moves continuously on every screen. */
  setRestless(on: boolean): void
  /** Nobody may read or set the clipboard: it reads as empty, and setting it does nothing. */
  denyClipboard(on: boolean): void
  expandNotifications(): void
  collapsePanels(): void

  /** Calls `listener` when the next screenshot would differ from the last; some 30 times a second while the screen moves by itself. */
  onChange(listener: () => void): () => void
  /** Calls `listener` for each incident. */
  onIncident(listener: (incident: Incident) => void): () => void
  /** Calls `listener` when `exportState` may have changed. */
  onStateChange(listener: () => void): () => void

  /** All state that survives a reboot, as JSON. */
  exportState(): unknown
  /** Back to the unlocked launcher with the state from `exportState`; null: a new state (a wipe). */
  reboot(state: unknown): void
  /** Ends timers. */
  close(): void
}
