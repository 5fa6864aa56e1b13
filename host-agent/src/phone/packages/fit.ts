/**
 * Checks whether an app is compatible with a phone, before an install changes anything.
 * Refusals use the texts of Android's package manager. Pure, except for reading the
 * properties. Source: AOSP
 * `FrameworkParsingPackageUtils.computeMinSdkVersion`, `InstallPackageHelper`,
 * `NativeLibraryHelper`.
 */
import { ApiError, type Progress } from '@phonerack/shared'
import { command, sequence } from '../../adb/quote.js'
import type { Transport } from '../../adb/transport.js'
import type { AppNeeds } from '../../adb/device/device.js'
import { run } from '../../adb/device/run.js'

interface PhoneProperties {
  /** Null when the phone does not report its API level. */
  sdk: number | null
  /** `REL` for a released Android. */
  codename: string
  /** Supported ABIs, best first; empty when not reported. */
  abis: readonly string[]
}

const properties = ['ro.build.version.sdk', 'ro.build.version.codename', 'ro.product.cpu.abilist'] as const

export async function readProperties(transport: Transport, progress: Progress): Promise<PhoneProperties> {
  const output = await run(
    transport,
    sequence(...properties.map((name) => command('getprop', name))),
    progress,
  )
  const [sdk = '', codename = '', abis = ''] = output.split(/\r?\n/).map((line) => line.trim())
  return {
    sdk: /^\d+$/.test(sdk) ? Number(sdk) : null,
    codename,
    abis: abis.split(',').filter((abi) => abi !== ''),
  }
}

/** Returns the lowest `targetSdkVersion` that Android 14 and newer accept for a new app. */
const lowestTarget = (sdk: number): number => (sdk >= 35 ? 24 : sdk === 34 ? 23 : 0)
/** A phone of this level or newer requires a v2 signature of apps that target this level or a newer level. */
const v2RequiredSdk = 30

interface Incompatibility {
  /** The text of Android's package manager. */
  reason: string
  next: string
}

/**
 * Returns null when no incompatibility is known. `isNew`: the app is absent, or is uninstalled before the
 * install.
 */
export function incompatibilityOf(
  needs: AppNeeds,
  phone: PhoneProperties,
  isNew: boolean,
): Incompatibility | null {
  const { minSdk, minCodename, targetSdk, abis, jarOnly } = needs
  const { sdk, codename } = phone
  if (minCodename !== '' && codename !== '' && minCodename !== codename)
    return {
      reason: `INSTALL_FAILED_OLDER_SDK: Requires development platform ${minCodename} (the phone has ${codename === 'REL' ? `the released API level ${String(sdk)}` : codename})`,
      next: 'Upload a build whose minSdkVersion is a number: builds for Android previews do not run on released versions.',
    }
  if (minCodename === '' && sdk !== null && minSdk > sdk)
    return {
      reason: `INSTALL_FAILED_OLDER_SDK: Requires newer sdk version #${minSdk} (current version is #${sdk})`,
      next: `Upload a build with minSdkVersion ${sdk} or lower, or use a phone with a newer Android.`,
    }
  if (abis.length > 0 && phone.abis.length > 0 && !abis.some((abi) => phone.abis.includes(abi)))
    return {
      reason: `INSTALL_FAILED_NO_MATCHING_ABIS: The app has native code for ${abis.join(', ')}, but the phone runs ${phone.abis.join(', ')}`,
      next: `Upload a build with native code for ${phone.abis[0] ?? 'the phone'}.`,
    }
  if (sdk === null || !isNew) return null
  const lowest = lowestTarget(sdk)
  if (targetSdk > 0 && targetSdk < lowest)
    return {
      reason: `INSTALL_FAILED_DEPRECATED_SDK_VERSION: App package must target at least SDK version ${lowest}, but found ${targetSdk}`,
      next: `Upload a build with targetSdkVersion ${lowest} or higher.`,
    }
  if (jarOnly && sdk >= v2RequiredSdk && targetSdk >= v2RequiredSdk)
    return {
      reason: `INSTALL_PARSE_FAILED_NO_CERTIFICATES: No signature of scheme v2 or newer, which apps that target ${v2RequiredSdk} or higher need`,
      next: 'Sign the APK with scheme v2 or newer, for example with apksigner, and upload it again.',
    }
  return null
}

export const incompatibleError = (packageName: string, { reason, next }: Incompatibility): ApiError =>
  new ApiError('install_failed', {
    message: 'The app is incompatible with the phone. Nothing was changed on the phone.',
    next,
    details: { package: packageName, reason },
  })
