/**
 * Folds a text to what a person reads, so that texts which look alike are equal: a model retypes a time with an ordinary space,
 * while the screen has U+202F. Pure. Used by the host agent for targets and for typed text, and by the agent tools for names.
 */

/** Soft hyphens, joiners, direction marks, variation selectors. */
const invisible = /\p{Default_Ignorable_Code_Point}/gu
/**
 * Apostrophes: curly, low and fullwidth apostrophes, modifier letters, primes, accents used as apostrophes,
 * single guillemets.
 */
const singleQuotes = /[\u2018-\u201b\u2032\u2035\u02b9\u02bb\u02bc\u02c8\uff07`\u00b4\u2039\u203a]/gu
const doubleQuotes = /[\u201c-\u201f\u2033\u2036\u02ba\uff02\u00ab\u00bb\u300c-\u300f]/gu
/** Keyboards turn two hyphens into one dash. U+2212 is the minus sign. */
const dashes = /[\p{Dash_Punctuation}\u2212]+/gu
/**
 * More marks than a character of any script has. `normalize` takes quadratic time for a long run of marks.
 */
const markRun = /(\p{M}{32})\p{M}+/gu
/** Line breaks, U+00A0, U+202F and U+3000 included. */
const spaces = /\p{White_Space}+/gu

/**
 * The text without differences in case, kinds of quotes, dashes and spaces, composition (NFC), and invisible
 * characters.
 */
export function folded(text: string): string {
  const seen = text
    .replace(invisible, '')
    .replace(markRun, '$1')
    .normalize('NFC')
    .replace(singleQuotes, "'")
    .replace(doubleQuotes, '"')
    .replace(dashes, '-')
    .replaceAll('\u2026', '...')
    .replace(spaces, ' ')
    .trim()
  // The upper case makes `ß` and `SS` equal, and `ς` and `σ`. A Turkish `İ` has a dot, and a person types it
  // as `i`.
  return seen.toUpperCase().toLowerCase().replaceAll('ς', 'σ').replaceAll('i\u0307', 'i').normalize('NFC')
}
