/**
 * Apps whose behaviour is imitated, because their code does not run: the handlers of `am` for an installed
 * package. Used by `shell/commands/am.ts`.
 */
import type { Android } from '../android/android.js'
import type { FocusedWindow, Intent } from '../android/world.js'
import { appiumSettings } from './appium-settings.js'

/** The broadcast's result, as a receiver sets it. `code` -1 is RESULT_OK. */
export interface BroadcastResult {
  code: number
  data: string | null
}

export interface AppBehaviour {
  package: string
  /**
   * `window`: the activity ran and closed itself, and this window is behind it. Null when the activity is opened like
   * any app's activity.
   */
  startActivity(android: Android, intent: Intent, className: string): FocusedWindow | null
  /** Starts a service. Returns false when the app has no such service. */
  startService(android: Android, intent: Intent, className: string): boolean
  /** Delivers a broadcast. Returns null when no receiver accepts the intent. */
  broadcast(android: Android, intent: Intent): BroadcastResult | null
}

const behaviours: readonly AppBehaviour[] = [appiumSettings]

/** Null for a package that is not installed or has no imitated behaviour. */
export function behaviourOf(android: Android, name: string): AppBehaviour | null {
  return android.installed.find(name) === null
    ? null
    : (behaviours.find((each) => each.package === name) ?? null)
}

/**
 * Returns the result of the receivers of all installed apps; code 0 when there is no receiver, as Android
 * prints it.
 */
export function sendBroadcast(android: Android, intent: Intent): BroadcastResult {
  for (const { package: name } of behaviours) {
    const result = behaviourOf(android, name)?.broadcast(android, intent) ?? null
    if (result !== null) return result
  }
  return { code: 0, data: null }
}
