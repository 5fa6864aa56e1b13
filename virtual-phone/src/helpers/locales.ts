/** Decides which locales Android's settings app would offer, as far as this machine's formatter knows. */

/** Returns the locale's canonical BCP 47 form, or null when its language is unknown. */
export function knownLocale(tag: string): string | null {
  try {
    const [canonical] = Intl.getCanonicalLocales(tag)
    if (canonical === undefined) return null
    return Intl.DateTimeFormat.supportedLocalesOf([canonical]).length > 0 ? canonical : null
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}

export function sameLanguage(tag: string, language: string): boolean {
  return tag.split('-')[0]?.toLowerCase() === language.toLowerCase()
}
