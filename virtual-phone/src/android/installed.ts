/** The table of apps that `pm install` installed. Owned by `android.ts`; changed by `install/`. */
import type { Apk } from './apk/apk.js'
import type { AppEntry } from './world.js'

export interface InstalledApp {
  /** Data of the app's base APK. */
  apk: Apk
  uid: number
  /** `/data/app/~~…==/…==`. */
  folder: string
  /** Names of the app's splits, without the base. */
  splits: readonly string[]
  firstInstallMs: number
  lastUpdateMs: number
  /** The value of `-i` of the install. */
  installer: string | null
  granted: readonly string[]
  enabled: boolean
}

export interface SavedApps {
  nextUid: number
  apps: InstalledApp[]
}

/** The first user ID of an app outside the system image. */
const firstUid = 10_200

export class InstalledApps {
  private readonly apps = new Map<string, InstalledApp>()
  private nextUid = firstUid

  /** @param onChange called after each change */
  constructor(private readonly onChange: () => void) {}

  /** Returns the apps, sorted by package. */
  list(): InstalledApp[] {
    return [...this.apps.values()].sort((a, b) => (a.apk.package < b.apk.package ? -1 : 1))
  }

  find(name: string): InstalledApp | null {
    return this.apps.get(name) ?? null
  }

  put(app: InstalledApp): void {
    this.apps.set(app.apk.package, app)
    this.onChange()
  }

  remove(name: string): void {
    if (this.apps.delete(name)) this.onChange()
  }

  newUid(): number {
    return this.nextUid++
  }

  save(): SavedApps {
    return { nextUid: this.nextUid, apps: this.list() }
  }

  /** Null when the app is not installed. */
  load(saved: SavedApps | null): void {
    this.apps.clear()
    for (const app of saved?.apps ?? []) this.apps.set(app.apk.package, app)
    this.nextUid = saved?.nextUid ?? firstUid
    this.onChange()
  }
}

export function entryOf(app: InstalledApp): AppEntry {
  const { apk } = app
  return {
    package: apk.package,
    label: apk.label,
    versionName: apk.versionName,
    versionCode: apk.versionCode,
    system: false,
    launcherActivity: app.enabled ? apk.launcherActivity : null,
    uid: app.uid,
    ...(apk.icon ? { icon: apk.icon } : {}),
  }
}

/** Returns the files of the app's APKs, the base first. */
export function apkPaths(app: InstalledApp): string[] {
  return [`${app.folder}/base.apk`, ...app.splits.map((split) => `${app.folder}/split_${split}.apk`)]
}
