/**
 * Recognises screens that set a screen lock, and parses the lock state. Pure. Used by
 * `guard.ts` and the condition.
 */
import { command, type ShellCommand } from '../../adb/quote.js'
import type { WindowState } from '../../adb/device/device.js'

/** Packages of Android and of vendors. Other packages are ignored: a tenant's app can name its screens freely. */
const systemPackage =
  /^com\.(android|google\.android|samsung\.android|sec\.android|miui|xiaomi|coloros|oplus|oppo|vivo|bbk|huawei|hihonor|motorola|sonymobile|lge|asus|transsion|hmdglobal)\b/

/**
 * AOSP `com.android.settings.password.*` of Android 9 to 15 (`ChooseLockGeneric`, `ChooseLockPassword`,
 * `ConfirmLockPattern`, `SetNewPasswordActivity`, `SetupChooseLock…`), the biometric enrolments that begin
 * with one of these names, and the names of Xiaomi (`MiuiSecurityChooseUnlock`).
 */
const credentialScreen =
  /(?:^|[.$])\w*(?:Choose(?:Lock|Unlock)|ConfirmLock|ConfirmDeviceCredential|SetNewPassword|LockScreenSuggestion|ScreenLockSuggestion|(?:Fingerprint|Face|Biometric)Enroll)\w*/

type Foreground = Pick<WindowState, 'package' | 'activity'>

export const isCredentialScreen = ({ package: name, activity }: Foreground): boolean =>
  systemPackage.test(name) && activity !== null && credentialScreen.test(activity)

/** Whether a credential can be typed in this window. Text that is typed in other windows is never kept. */
export const isSettings = ({ package: name, activity }: Foreground): boolean =>
  isCredentialScreen({ package: name, activity }) || (systemPackage.test(name) && /settings/i.test(name))

export const readLock: ShellCommand = command('dumpsys', 'lock_settings')

/**
 * Parses `CredentialType:` in the output of `readLock`, for user 0, since a dual app or a work profile is another user.
 * Form: AOSP `LockSettingsService.dump`, Android 10 to 16. Null when not reported.
 */
export function parseLock(output: string): boolean | null {
  const users = output.split(/^(?=[ \t]*User \d)/m)
  const own =
    users.find((user) => /^[ \t]*User 0\b/.test(user)) ?? (/^[ \t]*User \d/m.test(output) ? '' : output)
  const types = [...own.matchAll(/CredentialType: *(\w+)/gi)].map(([, type = '']) => !/^none$/i.test(type))
  return types.length === 0 ? null : types.some(Boolean)
}
