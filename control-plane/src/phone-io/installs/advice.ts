/** The next step after an install that the phone refused, by the phone's reason. Pure. */
import { type Install } from '../../gen/prisma/client.js'

/**
 * Reasons in the build itself, which an uninstall does not solve. AOSP
 * `PackageManager.INSTALL_FAILED_*`.
 */
const ofTheBuild: readonly (readonly [RegExp, string])[] = [
  [/OLDER_SDK/, 'upload a build with a lower minSdkVersion, or use a phone with a newer Android'],
  [/DEPRECATED_SDK_VERSION/, 'upload a build with a higher targetSdkVersion'],
  [/NO_MATCHING_ABIS|CPU_ABI_INCOMPATIBLE/, "upload a build with native code for the phone's processor"],
  [
    /INSUFFICIENT_STORAGE|No suitable internal storage|not enough space/i,
    'free storage on the phone: uninstall apps or delete files',
  ],
  [
    /MISSING_SPLIT|MISSING_SHARED_LIBRARY|MISSING_FEATURE/,
    'upload one universal APK that is compatible with the phone',
  ],
  [
    /PARSE_FAILED|INVALID_APK|NO_CERTIFICATES|VERIFICATION_FAILURE|BAD_DEX|DEXOPT|TEST_ONLY/,
    'build and sign the APK again, and upload the result',
  ],
  [/USER_RESTRICTED|ABORTED/, 'look at the screen: the phone asks for confirmation before it installs'],
]

type Wanted = Pick<Install, 'phoneId' | 'package' | 'replace'>

/**
 * One or two sentences. `reason`: the phone's text; `wasInstalled`: the app was installed when the
 * install began.
 */
export function adviceFor(reason: string, wasInstalled: boolean, install: Wanted): string {
  const said = reason === '' ? '' : `The phone reported: ${reason}. `
  const isGone = wasInstalled && install.replace
  const gone = isGone ? 'The previously installed app and its data were removed. ' : ''
  const then = `then install again: POST /v1/phones/${install.phoneId}/apps`
  const known = ofTheBuild.find(([pattern]) => pattern.test(reason))?.[1]
  if (known !== undefined) return `${said}${gone}To install it, ${known}; ${then}`
  if (wasInstalled && !install.replace)
    return `${said}The phone already had the app, and a build signed with another key may be installed: uninstall it (DELETE /v1/phones/${install.phoneId}/apps/${install.package}) or install again with "replace": true.`
  return `${said}${gone}Check the reason, upload a build that is compatible with the phone, and install it.`
}
