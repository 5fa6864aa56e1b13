/** The phone's state as its user sees it. Used by `phone.ts` and the fault port. */
import type { Android } from '../android/android.js'
import type { GeoPoint } from '../android/world.js'

export interface State {
  booted: boolean
  awake: boolean
  locked: boolean
  /** The foreground activity: package and full class name. */
  focused: { package: string; activity: string }
  clipboard: string
  /** Null when the phone does not know its location. */
  location: GeoPoint | null
  batteryPercent: number
  locale: string
  timeZone: string
  notifications: { package: string; title: string; text: string }[]
  /** Installed packages, without the built-in packages. */
  installed: string[]
  uiServerRunning: boolean
  scrcpyServers: number
}

export const UI_SERVER = 'io.appium.uiautomator2.server'

export function stateOf(android: Android): State {
  const { world } = android
  return {
    booted: android.properties.get('sys.boot_completed') === '1',
    awake: world.awake,
    locked: world.locked,
    focused: { ...world.focused },
    clipboard: world.clipboard,
    location: world.location,
    batteryPercent: world.batteryPercent,
    locale: world.configuration.locale,
    timeZone: world.configuration.timeZone,
    notifications: world.notifications.map(({ package: name, title, text }) => ({
      package: name,
      title,
      text,
    })),
    installed: android.installed.list().map((app) => app.apk.package),
    uiServerRunning: android.running.isRunning(UI_SERVER),
    scrcpyServers: scrcpyServers(android).length,
  }
}

export function scrcpyServers(android: Android) {
  return android.processes.list().filter(({ name }) => name === 'app_process')
}
