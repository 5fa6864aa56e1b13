/** The key of a notification: AOSP `StatusBarNotification.key()`. */
import { findPackage, type PackageSource } from '../packages.js'
import type { PhoneNotification } from '../world.js'

const shell = 'com.android.shell'

/**
 * Apps of the phone name their notifications by tag, so all use this number, as `cmd notification post` does.
 */
export const numberOf = ({ package: name }: Pick<PhoneNotification, 'package'>): number =>
  name === shell ? 2020 : 0

export function keyOf(source: PackageSource, notification: PhoneNotification): string {
  const uid = findPackage(source, notification.package)?.uid ?? 10_000
  return `0|${notification.package}|${numberOf(notification)}|${notification.id}|${uid}`
}
