/** Which packages are on the phone: the world's apps, and the parts of Android that have no icon. Used by `pm`, `dumpsys` and `cmd package`. */
import type { AppEntry, World } from './world.js'
import { model } from './identity.js'

const hidden: readonly [string, string, number][] = [
  ['android', 'Android System', 1000],
  ['com.android.inputmethod.latin', 'Android Keyboard (AOSP)', 10151],
  ['com.android.providers.media', 'Media Storage', 10185],
  ['com.android.providers.settings', 'Settings Storage', 1000],
  ['com.android.shell', 'Shell', 2000],
  ['com.android.systemui', 'System UI', 10150],
]

export function allPackages(world: World): AppEntry[] {
  const seen = new Set(world.builtInApps().map((app) => app.package))
  const parts = hidden
    .filter(([name]) => !seen.has(name))
    .map(([name, label, uid]): AppEntry => ({
      package: name,
      label,
      uid,
      versionName: model.release,
      versionCode: model.sdk,
      system: true,
      launcherActivity: null,
    }))
  return [...world.builtInApps(), ...parts].sort((a, b) => (a.package < b.package ? -1 : 1))
}

export function findPackage(world: World, name: string): AppEntry | null {
  return allPackages(world).find((app) => app.package === name) ?? null
}

/** Where `pm path` says that it lies. */
export function apkPath(app: AppEntry): string {
  if (app.package === 'android') return '/system/framework/framework-res.apk'
  return `/system/priv-app/${app.package}/${app.package}.apk`
}
