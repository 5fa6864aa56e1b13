/** The public ID of a notification: from its phone and key, so that a restart of the agent does not change it. Pure. */
import { createHash } from 'node:crypto'
import { idPrefixes } from '@phonerack/shared'

const alphabet = 'abcdefghijklmnopqrstuvwxyz234567'

/** `key`: AOSP `StatusBarNotification.key()`. */
export function notificationId(phoneId: string, key: string): string {
  const hash = createHash('sha256').update(`${phoneId}\0${key}`).digest()
  const letters = Array.from(hash.subarray(0, 12), (byte) => alphabet[byte & 31])
  return `${idPrefixes.notification}${letters.join('')}`
}
