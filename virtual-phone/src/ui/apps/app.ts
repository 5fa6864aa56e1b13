/**
 * The parts of an app, and the interface between its screens and the system. Implemented by `window/`, used
 * by each app.
 */
import { type AppEntry, type GeoPoint, type Intent, type ScreenLock } from '../../android/world.js'
import { type Permission } from './permission.js'
import { type EditState } from '../toolkit/edit-state.js'
import { type Theme } from '../toolkit/theme.js'
import { type ScrollState, type View } from '../toolkit/view.js'

export interface Configuration {
  locale: string
  timeZone: string
  night: boolean
  fontScale: number
}

/** Facts about the phone that apps show. */
export interface PhoneFacts {
  maker: string
  model: string
  androidVersion: string
  buildNumber: string
  serial: string
}

export interface Task {
  id: number
  package: string
  label: string
}

/**
 * A screen's access to the world. Handlers can change data directly, since the screen is built again after
 * each input.
 */
export interface Ui {
  readonly package: string
  readonly intent: Intent
  readonly theme: Theme
  readonly facts: PhoneFacts
  readonly configuration: Readonly<Configuration>
  readonly apps: readonly AppEntry[]
  readonly recentTasks: readonly Task[]
  readonly now: Date
  /** True when the app's area is wider than high. */
  readonly landscape: boolean
  /** The phone's location; null when location is off or unknown. */
  readonly location: GeoPoint | null
  /** Shows a notification of this app, or of the given package. */
  notify(notification: { id: string; title: string; text: string; package?: string; ongoing?: boolean }): void
  /** Returns the saved data of another app of the system, such as incoming messages and permissions. */
  dataOf(packageName: string): object
  /** Makes this app crash or hang; the system then shows its dialog. */
  breakDown(kind: 'crash' | 'not_responding'): void
  /** Returns the app's saved data, a JSON object from its `initialData`; changes survive a reboot. */
  data(): object
  /** Returns the state of this activity, which lasts while the activity is alive. */
  local<T extends object>(name: string, init: () => T): T
  scroll(name: string): ScrollState
  field(name: string, text?: string): EditState
  isFocused(field: EditState): boolean
  /** Focuses a field and shows the keyboard. */
  focus(field: EditState): void
  hideKeyboard(): void
  /** Returns the full resource name in this app. */
  id(name: string): string
  /** Starts an activity of this app. */
  open(className: string, extras?: Readonly<Record<string, string>>): void
  start(intent: Intent): void
  switchTo(taskId: number): void
  closeTasks(): void
  finish(): void
  /**
   * Replaces the back action of this screen, which otherwise finishes the screen. Each build must set the action again.
   */
  onBack(handler: () => void): void
  showDialog(build: (ui: Ui) => View): void
  dismissDialog(): void
  configure(change: Partial<Configuration>): void
  readonly screenLock: ScreenLock
}

export type Screen = (ui: Ui) => View

export interface App {
  package: string
  label: string
  /** The glyph and the colours of the app's launcher icon. */
  icon: { glyph: string; color: string; background: string }
  versionName: string
  versionCode: number
  uid: number
  /** Full class name; null when the launcher does not list it. */
  launcherActivity: string | null
  /** Screens by full class name. */
  activities: Readonly<Record<string, Screen>>
  /** Class names by the intent actions that they handle. */
  actions: Readonly<Record<string, string>>
  /**
   * The activity that a tap on the app's notification opens above the launcher activity, and the extra with
   * the notification's ID.
   */
  notificationActivity?: { className: string; extra: string }
  /** The permissions that the app asks for. */
  permissions?: readonly Permission[]
  initialData: () => object
}
