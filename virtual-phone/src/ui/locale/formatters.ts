/**
 * Caches formatters of dates and numbers, since creating a formatter takes longer than the layout of a row,
 * and a moving screen is laid out thirty times a second. Used by every screen that shows a date, a time or a
 * price.
 */
const KEPT = 100

function keep<T>(make: (locale: string, options: object) => T): (locale: string, options: object) => T {
  const kept = new Map<string, T>()
  return (locale, options) => {
    const key = `${locale} ${JSON.stringify(options)}`
    const known = kept.get(key)
    if (known !== undefined) return known
    const made = make(locale, options)
    if (kept.size >= KEPT) kept.clear()
    kept.set(key, made)
    return made
  }
}

const dates = keep((locale, options) => new Intl.DateTimeFormat(locale, options))
const numbers = keep((locale, options) => new Intl.NumberFormat(locale, options))

export const dateFormat = (locale: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat =>
  dates(locale, options)

export const numberFormat = (locale: string, options: Intl.NumberFormatOptions = {}): Intl.NumberFormat =>
  numbers(locale, options)
