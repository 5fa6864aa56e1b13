/**
 * Lists the packages on the phone: the world's apps, the parts of Android that have no icon, and the
 * installed packages. Used by `pm`, `dumpsys` and `cmd package`.
 */
import type { Android } from './android.js'
import { apkPaths, entryOf } from './installed.js'
import type { AppEntry } from './world.js'
import { model } from './identity.js'

const hidden: readonly [string, string, number][] = [
  ['android', 'Android System', 1000],
  ['com.android.inputmethod.latin', 'Android Keyboard (AOSP)', 10151],
  ['com.android.inputmethod.pinyin', 'Pinyin Keyboard', 10152],
  ['com.android.providers.media', 'Media Storage', 10185],
  ['com.android.providers.settings', 'Settings Storage', 1000],
  ['com.android.shell', 'Shell', 2000],
  ['com.android.systemui', 'System UI', 10150],
]

/** The parts of a running Android that these functions need. */
export type PackageSource = Pick<Android, 'world' | 'installed'>

/** Returns all apps, sorted by package. */
export function allPackages({ world, installed }: PackageSource): AppEntry[] {
  const builtIn = systemPackages({ world })
  return [...builtIn, ...installed.list().map(entryOf)].sort((a, b) => (a.package < b.package ? -1 : 1))
}

/** Returns the packages of the system image. */
export function systemPackages({ world }: Pick<Android, 'world'>): AppEntry[] {
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
  return [...world.builtInApps(), ...parts]
}

export function findPackage(source: PackageSource, name: string): AppEntry | null {
  return allPackages(source).find((app) => app.package === name) ?? null
}

/** Returns the paths that `pm path` prints: the base first, then the splits. */
export function pathsOf({ installed }: Pick<Android, 'installed'>, app: AppEntry): string[] {
  const own = installed.find(app.package)
  if (own !== null) return apkPaths(own)
  if (app.package === 'android') return ['/system/framework/framework-res.apk']
  return [`/system/priv-app/${app.package}/${app.package}.apk`]
}
