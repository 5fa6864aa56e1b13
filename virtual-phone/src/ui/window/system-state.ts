/**
 * The system's state outside apps: notifications, its own dialogs, the lock, the battery, the place. Part of
 * `model.ts`.
 */
import { type GeoPoint, type PhoneNotification } from '../../android/world.js'

export interface SystemDialog {
  kind: 'crash' | 'not_responding'
  package: string
}

export interface SystemState {
  /** Newest first. */
  notifications: PhoneNotification[]
  /** The heads-up notification, shown over the app for some seconds. */
  headsUp: PhoneNotification | null
  /** In front of everything except the bars; the last one is on top. */
  dialogs: SystemDialog[]
  locked: boolean
  /** Something moves continuously, so that no dump finds the screen idle. */
  restless: boolean
  batteryPercent: number
  location: GeoPoint | null
  /** `default_input_method`. Only the system's own keyboard has a view. */
  inputMethod: string
}

const BERLIN: GeoPoint = { latitude: 52.52, longitude: 13.405 }

export const SYSTEM_KEYBOARD = 'com.android.inputmethod.latin/.LatinIME'

export const newSystemState = (): SystemState => ({
  notifications: [],
  headsUp: null,
  dialogs: [],
  locked: false,
  restless: false,
  batteryPercent: 100,
  location: BERLIN,
  inputMethod: SYSTEM_KEYBOARD,
})

/** Adds a notification at the top; replaces an earlier one of the same app and id. */
export function withNotification(
  all: readonly PhoneNotification[],
  added: PhoneNotification,
): PhoneNotification[] {
  return [added, ...all.filter((n) => n.package !== added.package || n.id !== added.id)]
}
