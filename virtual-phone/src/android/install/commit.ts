/** Commits an install session: reads its APKs, checks them, and installs them. Called by `sessions.ts`. */
import { randomBytes } from 'node:crypto'
import { aid } from '../../fs/access.js'
import type { FileSystem } from '../../fs/file-system.js'
import type { Android } from '../android.js'
import { type Apk, readApk } from '../apk/apk.js'
import { InstallError } from '../apk/error.js'
import { apkPaths, type InstalledApp } from '../installed.js'
import { systemPackages } from '../packages.js'
import { checkAgainstPhone, checkTogether, checkUpdate } from './check.js'
import type { Session } from './sessions.js'

/**
 * Commits the files. `fs` has the rights of root.
 * @throws InstallError without any change
 */
export async function commitFolder(android: Android, fs: FileSystem, session: Session): Promise<void> {
  const { options, folder } = session
  const staged = new Map<string | null, string>()
  const apks: Apk[] = []
  for (const name of fs.readdir(folder)) {
    const path = `${folder}/${name}`
    const apk = await readApk(android.volume.blobs.pathOf(fs.stat(path).ino), path)
    apks.push(apk)
    staged.set(apk.split, path)
  }
  const inherited = options.inherit === null ? null : android.installed.find(options.inherit)
  if (options.inherit !== null && inherited === null)
    throw new InstallError(
      'INSTALL_FAILED_INVALID_APK',
      `Missing existing base package for ${options.inherit}`,
    )
  const base = checkTogether(apks, inherited)
  if (options.onlyPackage !== null && options.onlyPackage !== base.package)
    throw new InstallError(
      'INSTALL_FAILED_INVALID_APK',
      `base.apk specified package ${options.onlyPackage} inconsistent with ${base.package}`,
    )
  const kept = inherited === null ? [] : inherited.splits.filter((split) => !staged.has(split))
  const splits = [...kept, ...apks.flatMap((apk) => apk.split ?? [])].sort()
  const abis = [...new Set(apks.flatMap((apk) => apk.abis))]
  checkAgainstPhone(base, splits, abis, options)
  if (systemPackages(android).some((app) => app.package === base.package)) throw notTheSystems(base.package)
  if (base.package === 'io.appium.settings' && android.missing.has('settings-app'))
    throw new InstallError('INSTALL_FAILED_USER_RESTRICTED', 'Install canceled by user')
  const old = android.installed.find(base.package)
  if (old !== null) checkUpdate(base, old, options)
  if (!options.dontKill) android.forceStop(base.package)
  for (const split of inherited === null ? [] : [null, ...kept]) {
    if (!staged.has(split))
      await fs.copyFile(fileOf(inherited?.folder ?? '', split), fileOf(folder, split), 0o644)
  }
  const place = await putInPlace(fs, base.package, folder, staged)
  if (old !== null) await fs.removeTree(parentOf(old.folder))
  android.installed.put(newEntry(android, base, { place, splits, old, session }))
  if (old === null) makeDataFolder(fs, base.package, android.installed.find(base.package)?.uid ?? aid.system)
}

/** The maker signs the parts of the system image, and nobody else has that key. */
function notTheSystems(name: string): InstallError {
  return new InstallError(
    'INSTALL_FAILED_UPDATE_INCOMPATIBLE',
    `Existing package ${name} signatures do not match newer version; ignoring!`,
  )
}

function newEntry(
  android: Android,
  apk: Apk,
  how: { place: string; splits: readonly string[]; old: InstalledApp | null; session: Session },
): InstalledApp {
  const { old, session } = how
  const now = Date.now()
  return {
    apk,
    uid: old?.uid ?? android.installed.newUid(),
    folder: how.place,
    splits: how.splits,
    firstInstallMs: old?.firstInstallMs ?? now,
    lastUpdateMs: now,
    installer: session.options.installer ?? old?.installer ?? null,
    granted: session.options.grantAll
      ? apk.permissions
      : (old?.granted ?? []).filter((permission) => apk.permissions.includes(permission)),
    enabled: old?.enabled ?? true,
  }
}

function fileOf(folder: string, split: string | null): string {
  return split === null ? `${folder}/base.apk` : `${folder}/split_${split}.apk`
}

/** Gives the files the names of installed files. */
async function putInPlace(
  fs: FileSystem,
  name: string,
  folder: string,
  staged: ReadonlyMap<string | null, string>,
): Promise<string> {
  const random = () => `${randomBytes(16).toString('base64url')}==`
  const outer = `/data/app/~~${random()}`
  fs.mkdir(outer, 0o771)
  fs.chown(outer, aid.system, aid.system)
  const place = `${outer}/${name}-${random()}`
  // The files are first moved to other names, since a file of the session may have the final name of another
  // file.
  const moved: [string, string][] = []
  for (const [split, path] of staged) {
    const aside = `${folder}/.${moved.length}.new`
    await fs.rename(path, aside)
    moved.push([aside, fileOf(folder, split)])
  }
  for (const [aside, path] of moved) await fs.rename(aside, path)
  await fs.rename(folder, place)
  for (const file of fs.readdir(place)) fs.chown(`${place}/${file}`, aid.system, aid.system)
  return place
}

export function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/'))
}

export function makeDataFolder(fs: FileSystem, name: string, uid: number): void {
  const path = `/data/data/${name}`
  if (fs.tryLstat(path) === null) fs.mkdir(path, 0o700)
  fs.chown(path, uid, uid)
}

/** Removes the app; `keepData` as in `pm uninstall -k`. */
export async function uninstall(
  android: Android,
  fs: FileSystem,
  app: InstalledApp,
  keepData: boolean,
): Promise<void> {
  const name = app.apk.package
  android.counters.count('uninstalls')
  android.forceStop(name)
  android.installed.remove(name)
  const [base] = apkPaths(app)
  if (base !== undefined) await fs.removeTree(parentOf(app.folder))
  if (!keepData && fs.tryLstat(`/data/data/${name}`) !== null) await fs.removeTree(`/data/data/${name}`)
}
