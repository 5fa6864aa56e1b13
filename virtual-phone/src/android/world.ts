/**
 * The interface of the running Android for the shell's commands and the scrcpy server: its screen, its input,
 * its windows. `ui/` implements it; `shell/`, `adbd/` and `scrcpy/` use it and do not depend on its drawing.
 * Points and sizes are device pixels of the current rotation.
 */

import type { AccessibilityWindow } from './accessibility.js'

export interface Display {
  width: number
  height: number
  /** Dots per inch. */
  density: number
  /** The number of quarter turns counter-clockwise: 0 to 3. */
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
  /** Whether a text field has the input connection. */
  served: boolean
  /** `EditorInfo.inputType` of the served field; 0 when no field is served. */
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
  /** The activity was already in front and received the intent. */
  | { kind: 'delivered'; window: FocusedWindow }
  | { kind: 'not_found' }

/** A launchable app: installed by the shell's `pm` or built in. */
export interface AppEntry {
  package: string
  label: string
  versionName: string
  versionCode: number
  system: boolean
  /** Full class name of the activity that the launcher starts; null when the app has no such activity. */
  launcherActivity: string | null
  uid: number
  /** The icon as a PNG or WebP in Base64, if the app has one. */
  icon?: string
}

export interface GeoPoint {
  /** Degrees, WGS 84. */
  latitude: number
  longitude: number
}

export interface PhoneNotification {
  package: string
  /** The app's name for the notification. A second notification with the same name replaces the first. */
  id: string
  title: string
  text: string
  whenMs: number
  /** Whether the user cannot swipe the notification away. */
  ongoing?: boolean
}

/** An event of an app, for the logs. */
export type Incident =
  /** A new activity came on the screen. */
  | { kind: 'started'; package: string; className: string }
  /** The app's process then ends. */
  | { kind: 'crash'; package: string }
  | { kind: 'not_responding'; package: string }
  | { kind: 'posted'; notification: PhoneNotification; isUpdate: boolean }
  | { kind: 'cancelled'; package: string; id: string }

/** A setting or property that a person changed on the screen, as the shell would see it. */
export interface SystemChange {
  table: 'system' | 'secure' | 'global' | 'property'
  name: string
  value: string
}

/** The lock screen's credential, which the Settings app and the shell's `locksettings` set. */
export interface ScreenLock {
  isSet(): boolean
  /** Sets the PIN; null removes it. */
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

  /**
   * Returns the screen as a PNG with alpha, as `screencap -p` prints it. The picture is black while the phone
   * sleeps.
   */
  screenshotPng(): Promise<Buffer>
  /**
   * Returns width × height × 4 bytes, RGBA.
   * @param size draws the picture in this size, for a video; default: the size of the display
   */
  screenshotRgba(size?: { width: number; height: number }): Promise<Buffer>
  /**
   * Returns the XML that `uiautomator dump` writes, from the layout that is also used for drawing and hit tests: the
   * nodes of the active window (a dialog or the shade when it is in front). The XML does not contain the keyboard; see
   * `inputMethod`.
   */
  hierarchyXml(): string
  /**
   * Returns the windows on the screen as accessibility services see them, the frontmost first. Empty while the phone
   * sleeps.
   */
  accessibilityWindows(): readonly AccessibilityWindow[]

  touch(action: TouchAction, pointerId: number, x: number, y: number): void
  /** Sends an Android key code with its meta state. */
  key(action: KeyAction, keyCode: number, metaState: number): void
  /** Turns the mouse wheel, in notches: positive `vertical` scrolls up. */
  scroll(x: number, y: number, horizontal: number, vertical: number): void
  /**
   * Commits text into the focused field, as a key map with all these characters would. Returns false when no
   * field accepts it.
   */
  commitText(text: string): boolean

  /** The clipboard's text; empty when the clipboard is empty. */
  readonly clipboard: string
  setClipboard(text: string): void
  /** Inserts the clipboard at the focused field's selection, as KEYCODE_PASTE does. */
  paste(): void
  onClipboardChange(listener: (text: string) => void): () => void

  startActivity(intent: Intent): StartResult
  forceStop(packageName: string): void
  /** Ends the app and removes its data. */
  clearData(packageName: string): void
  /** Returns the permissions that a built-in app asks for, by name, with whether each is granted. */
  permissionsOf(packageName: string): ReadonlyMap<string, boolean>
  /** Grants or revokes a permission. Has no effect for a permission that the app does not ask for. */
  setPermission(packageName: string, name: string, granted: boolean): void
  /**
   * Returns the packages with a task, which were opened, and neither stopped nor swiped away. The foreground package comes
   * first.
   */
  runningApps(): readonly string[]
  builtInApps(): readonly AppEntry[]
  /** Returns the built-in and installed apps that have a launcher activity. */
  launchableApps(): readonly AppEntry[]
  /** Sets the apps that `pm` installed. The launcher shows them, each with a plain screen. */
  setInstalledApps(apps: readonly AppEntry[]): void

  /** The configuration of the last change by the Settings app or `setConfiguration`. */
  readonly configuration: Readonly<{ locale: string; timeZone: string; night: boolean; fontScale: number }>

  wake(): void
  sleep(): void
  setRotation(rotation: number): void
  /** Applies a value of `settings put` that the world shows (locale, time zone, font scale, night mode). */
  setConfiguration(change: { locale?: string; timeZone?: string; night?: boolean }): void
  /** Applies a value of the settings provider that the world shows; ignores other values. */
  applySetting(table: 'system' | 'secure' | 'global', name: string, value: string | null): void
  /** Calls `listener` for each setting and property that was changed on the screen. */
  onSystemChange(listener: (change: SystemChange) => void): () => void
  /** Sets where the Settings app stores a screen lock. Without this call, no lock is stored. */
  connectScreenLock(lock: ScreenLock): void
  /** The phone's location; null when the phone does not know it. */
  readonly location: GeoPoint | null
  setLocation(point: GeoPoint | null): void
  readonly batteryPercent: number
  setBattery(percent: number): void
  readonly notifications: readonly PhoneNotification[]
  notify(notification: PhoneNotification): void
  cancelNotification(packageName: string, id: string): void
  /** Shows "… has stopped": the app ends and the dialog appears in front. */
  showCrash(packageName: string): void
  /** Shows "… isn't responding", with Close app and Wait. */
  showNotResponding(packageName: string): void
  /** Puts the keyguard in front; a swipe up or `setLocked(false)` removes it. The keyguard does not ask for a PIN. */
  readonly locked: boolean
  setLocked(locked: boolean): void
  /** False while the screen is animated; `uiautomator dump` fails then. */
  readonly idle: boolean
  /** Makes every screen move continuously. */
  setRestless(on: boolean): void
  /** Prevents reading and setting the clipboard: the clipboard reads as empty, and setting it does nothing. */
  denyClipboard(on: boolean): void
  expandNotifications(): void
  collapsePanels(): void

  /**
   * Calls `listener` when the next screenshot would differ from the last; about 30 times a second while the
   * screen is animated.
   */
  onChange(listener: () => void): () => void
  /** Calls `listener` for each incident. */
  onIncident(listener: (incident: Incident) => void): () => void
  /** Calls `listener` when `exportState` may have changed. */
  onStateChange(listener: () => void): () => void

  /** Returns all state that survives a reboot, as JSON. */
  exportState(): unknown
  /** Returns to the unlocked launcher with the state from `exportState`; null for a new state (a wipe). */
  reboot(state: unknown): void
  /** Ends timers. */
  close(): void
}
