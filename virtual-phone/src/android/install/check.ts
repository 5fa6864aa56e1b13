/**
 * Decides which packages the package manager refuses. Messages and order as in AOSP `InstallPackageHelper`
 * and `PackageInstallerSession` of Android 14.
 */
import type { Apk } from '../apk/apk.js'
import { InstallError } from '../apk/error.js'
import { supportedAbis } from '../identity.js'
import { model } from '../identity.js'
import type { InstalledApp } from '../installed.js'
import type { InstallOptions } from './options.js'

/** `minInstallableTargetSdk` of Android 14. */
const minTargetSdk = 23
/** From this target on, a package must be signed by scheme v2 or newer. */
const firstTargetWithV2 = 30

/**
 * Combines the files of a session to one package.
 * @throws InstallError
 */
export function checkTogether(apks: readonly Apk[], existing: InstalledApp | null): Apk {
  const [first] = apks
  if (first === undefined) throw new InstallError('INSTALL_FAILED_INVALID_APK', 'No packages staged')
  const seen = new Set<string | null>()
  for (const apk of apks) {
    if (seen.has(apk.split))
      throw new InstallError(
        'INSTALL_FAILED_INVALID_APK',
        `Split ${apk.split ?? 'null'} was defined multiple times`,
      )
    seen.add(apk.split)
    sameAs(apk, first)
  }
  const base = apks.find((apk) => apk.split === null) ?? existing?.apk
  if (base === undefined)
    throw new InstallError('INSTALL_FAILED_INVALID_APK', 'Full install must include a base package')
  if (existing !== null) sameAs(first, existing.apk)
  return base
}

function sameAs(apk: Apk, expected: Apk): void {
  const tag = apk.split === null ? 'base' : `split_${apk.split}`
  const differs = (what: string) => new InstallError('INSTALL_FAILED_INVALID_APK', `${tag}.apk ${what}`)
  if (apk.package !== expected.package)
    throw differs(`specified package ${apk.package} inconsistent with ${expected.package}`)
  if (apk.versionCode !== expected.versionCode)
    throw differs(`specified version code ${apk.versionCode} inconsistent with ${expected.versionCode}`)
  if (!sameSigner(apk, expected)) throw differs('signatures are inconsistent')
}

/** @throws InstallError */
export function checkAgainstPhone(
  base: Apk,
  splits: readonly string[],
  abis: readonly string[],
  options: InstallOptions,
): void {
  if (base.minSdk > model.sdk)
    throw new InstallError(
      'INSTALL_FAILED_OLDER_SDK',
      `Requires newer sdk version #${base.minSdk} (current version is #${model.sdk})`,
    )
  if (base.targetSdk < minTargetSdk && !options.bypassLowTargetSdk)
    throw new InstallError(
      'INSTALL_FAILED_DEPRECATED_SDK_VERSION',
      `App package must target at least SDK version ${minTargetSdk}, but found ${base.targetSdk}`,
    )
  if (base.testOnly && !options.testOnly)
    throw new InstallError(
      'INSTALL_FAILED_TEST_ONLY',
      'Failed to install test-only apk. Did you forget to add -t?',
    )
  if (base.signature.version === 1 && base.targetSdk >= firstTargetWithV2)
    throw new InstallError(
      'INSTALL_PARSE_FAILED_NO_CERTIFICATES',
      `No signature found in package of version 2 or newer for package ${base.package}`,
    )
  if (base.splitRequired && splits.length === 0)
    throw new InstallError('INSTALL_FAILED_MISSING_SPLIT', `Missing split for ${base.package}`)
  if (abis.length > 0 && !abis.some((abi) => supportedAbis.includes(abi)))
    throw new InstallError('INSTALL_FAILED_NO_MATCHING_ABIS', 'Failed to extract native libraries, res=-113')
}

/** @throws InstallError */
export function checkUpdate(base: Apk, old: InstalledApp, options: InstallOptions): void {
  if (!options.replace)
    throw new InstallError(
      'INSTALL_FAILED_ALREADY_EXISTS',
      `Attempt to re-install ${base.package} without first uninstalling.`,
    )
  if (!sameSigner(base, old.apk))
    throw new InstallError(
      'INSTALL_FAILED_UPDATE_INCOMPATIBLE',
      `Existing package ${base.package} signatures do not match newer version; ignoring!`,
    )
  // On a user build, `-d` applies only to debuggable packages.
  const allowed = options.downgrade && (old.apk.debuggable || base.debuggable)
  if (base.versionCode < old.apk.versionCode && !allowed)
    throw new InstallError(
      'INSTALL_FAILED_VERSION_DOWNGRADE',
      `Downgrade detected: Update version code ${base.versionCode} is older than current ${old.apk.versionCode}`,
    )
}

function sameSigner(a: Apk, b: Apk): boolean {
  return a.signature.certificates.join() === b.signature.certificates.join()
}
