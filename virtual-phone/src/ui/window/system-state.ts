/**
 * The system's state outside apps: notifications, its own dialogs, the lock, the battery, the location. Part
 * of `model.ts`.
 */
import { type GeoPoint, type PhoneNotification } from '../../android/world.js'

export interface SystemDialog {
  kind: 'crash' | 'not_responding'
  package: string
}

export interface SystemState {
  /** The notifications, newest first. */
  notifications: PhoneNotification[]
  /** The heads-up notification, shown over the app for some seconds. */
  headsUp: PhoneNotification | null
  /** Dialogs in front of everything except the bars; the last dialog is on top. */
  dialogs: SystemDialog[]
  locked: boolean
  /** Whether the screen moves continuously, so that no dump finds the screen idle. */
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

/** Adds a notification at the top, and replaces an earlier notification of the same app and ID. */
export function withNotification(
  all: readonly PhoneNotification[],
  added: PhoneNotification,
): PhoneNotification[] {
  return [added, ...all.filter((n) => n.package !== added.package || n.id !== added.id)]
}
