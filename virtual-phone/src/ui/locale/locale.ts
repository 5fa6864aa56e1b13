/** The world's texts in other languages: looked up by the English text. Used by every screen through `Ui.say`. */
import { AR } from './ar.js'
import { DE } from './de.js'
import { JA } from './ja.js'

const TABLES: Readonly<Record<string, Readonly<Record<string, string>>>> = { ar: AR, de: DE, ja: JA }

const languageOf = (locale: string): string => locale.split(/[-_]/)[0]?.toLowerCase() ?? 'en'

/** The text in the locale's language, or in English where there is no other; `{name}` becomes a value. */
export function sayIn(
  locale: string,
  english: string,
  values: Readonly<Record<string, string | number>>,
): string {
  const table = TABLES[languageOf(locale)]
  const text = table && Object.hasOwn(table, english) ? (table[english] ?? english) : english
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = values[name]
    return value === undefined ? whole : typeof value === 'number' ? value.toLocaleString(locale) : value
  })
}

/** Locales whose screens run from right to left. */
export const isRtlLocale = (locale: string): boolean =>
  ['ar', 'he', 'iw', 'fa', 'ur'].includes(languageOf(locale))

/** What widgets of every app say of themselves. */
export const COMMON_DESCRIPTIONS: ReadonlySet<string> = new Set([
  'Back',
  'Home',
  'Overview',
  'Navigate up',
  'Search',
  'More options',
  'Clear',
  'Delete',
  'Send',
])
