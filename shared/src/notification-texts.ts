/**
 * Compares notifications by the texts that the notification shade shows. A card does not name its app
 * reliably, so the host agent finds cards by these texts, and the control plane refuses notifications whose
 * texts it cannot tell apart. Pure.
 */

import { folded } from './folded.js'

/** The maximum number of notifications that are read from a phone. */
export const mostNotifications = 100

interface Texts {
  title: string
  text: string
}

/** The part of a title or text by which a notification card is recognised. */
export const firstLineOf = (text: string): string =>
  folded(text.trim().split('\n', 1)[0]?.slice(0, 200) ?? '')

/** Whether the card of `other` shows the texts by which the card of `wanted` is found. False when `wanted` has no texts. */
export function canBeTakenFor(wanted: Texts, other: Texts): boolean {
  const shown = [firstLineOf(other.title), firstLineOf(other.text)]
  const lines = [firstLineOf(wanted.title), firstLineOf(wanted.text)].filter((line) => line !== '')
  return lines.length > 0 && lines.every((line) => shown.includes(line))
}
