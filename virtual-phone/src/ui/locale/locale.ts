/** The world's texts in other languages: looked up by the English text. Used by every screen through `Ui.say`. */
import { numberFormat } from './formatters.js'
import { APP_TEXTS } from './app-texts.js'
import { CHINESE_TEXTS } from './chinese-texts.js'
import { SYSTEM_TEXTS } from './system-texts.js'

const LANGUAGES = ['de', 'ar', 'ja']
const TEXTS = new Map([...Object.entries(SYSTEM_TEXTS), ...Object.entries(APP_TEXTS)])

const languageOf = (locale: string): string => locale.split(/[-_]/)[0]?.toLowerCase() ?? 'en'

function textIn(locale: string, english: string): string | undefined {
  if (isSimplifiedChinese(locale))
    return Object.hasOwn(CHINESE_TEXTS, english) ? CHINESE_TEXTS[english] : undefined
  return TEXTS.get(english)?.[LANGUAGES.indexOf(languageOf(locale))]
}

/** Taiwan, Hong Kong and Macao use traditional characters, for which there are no texts. */
export function isSimplifiedChinese(locale: string): boolean {
  const subtags = locale.split(/[-_]/).map((subtag) => subtag.toLowerCase())
  return subtags[0] === 'zh' && !subtags.some((subtag) => ['hant', 'tw', 'hk', 'mo'].includes(subtag))
}

/** Translates a text, or returns it in English if there is no translation; replaces `{name}` by a value. */
export function sayIn(
  locale: string,
  english: string,
  values: Readonly<Record<string, string | number>>,
): string {
  const text = textIn(locale, english) ?? english
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = values[name]
    return value === undefined
      ? whole
      : typeof value === 'number'
        ? numberFormat(locale).format(value)
        : value
  })
}

/** Locales with right-to-left screens. */
export const isRtlLocale = (locale: string): boolean =>
  ['ar', 'he', 'iw', 'fa', 'ur'].includes(languageOf(locale))

/** Accessibility texts of the widgets of every app. */
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
