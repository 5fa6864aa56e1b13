/**
 * Decides which locales and time zones this machine can show, since the shell may set any text. Used by
 * `model.ts`.
 */

/**
 * Returns the BCP 47 tag of a locale as Android writes it, or null for a locale that the formatter does not
 * know.
 */
export function knownLocale(tag: string): string | null {
  const hyphened = tag.replaceAll('_', '-')
  return /^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$/.test(hyphened) &&
    canFormat(() => Intl.getCanonicalLocales(hyphened))
    ? hyphened
    : null
}

export function knownTimeZone(timeZone: string): string | null {
  return canFormat(() => new Intl.DateTimeFormat('en-US', { timeZone })) ? timeZone : null
}

/** `Intl` reports an unknown value only by a RangeError. */
function canFormat(attempt: () => unknown): boolean {
  try {
    attempt()
    return true
  } catch (error) {
    if (error instanceof RangeError) return false
    throw error
  }
}
