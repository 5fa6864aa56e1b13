/** What the system shows beside the apps: notifications, its own dialogs, the lock, the battery, the place. Part of `model.ts`. */
import { type GeoPoint, type PhoneNotification } from '../../android/world.js'

export interface SystemDialog {
  kind: 'crash' | 'not_responding'
  package: string
}

export interface SystemState {
  /** Newest first. */
  notifications: PhoneNotification[]
  /** In front of everything but the bars; the last one is on top. */
  dialogs: SystemDialog[]
  locked: boolean
  /** Something moves without end, so that no tree dump finds the screen idle. */
  restless: boolean
  batteryPercent: number
  location: GeoPoint | null
}

export const BERLIN: GeoPoint = { latitude: 52.52, longitude: 13.405 }

export const newSystemState = (): SystemState => ({
  notifications: [],
  dialogs: [],
  locked: false,
  restless: false,
  batteryPercent: 100,
  location: BERLIN,
})

/** The newest stands first; an earlier one of the same app and id goes. */
export function withNotification(
  all: readonly PhoneNotification[],
  added: PhoneNotification,
): PhoneNotification[] {
  return [added, ...all.filter((n) => n.package !== added.package || n.id !== added.id)]
}
