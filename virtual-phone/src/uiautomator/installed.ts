/** Lists every app that the launcher shows, for `/appium/device/apps`. */
import type { Android } from '../android/android.js'

interface LaunchableApp {
  packageName: string
  activityName: string
  appName: string
}

export function launchable({ world }: Pick<Android, 'world'>): LaunchableApp[] {
  return world
    .launchableApps()
    .flatMap(({ package: packageName, launcherActivity, label }) =>
      launcherActivity === null ? [] : [{ packageName, activityName: launcherActivity, appName: label }],
    )
}
