/** Text of phones, apps and tenants, made safe for a terminal: it could move the cursor, change colors or hide text. */

/** Control characters, and the marks that change the direction of text or are invisible. */
const unsafe =
  /[\p{Cc}\u00ad\u061c\u115f\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\u3164\ufeff\u{e0000}-\u{e007f}]/gu
/** Escape sequences go as a whole, so that no rest of them is left. One without an end takes no text with it. */
const sequences = new RegExp(
  [
    String.raw`(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]`,
    String.raw`(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c\r\n]*(?:\x07|\x1b\\|\x9c)`,
  ].join('|'),
  'g',
)

/** One line: line breaks and tabs become spaces. */
export const plainLine = (text: string): string =>
  text
    .replace(sequences, '')
    .replace(/[\t\r\n\u2028\u2029]+/g, ' ')
    .replace(unsafe, '')

/** Several lines: line breaks stay. */
export const plainText = (text: string): string =>
  text
    .split(/\r?\n/)
    .map((line) => plainLine(line))
    .join('\n')

/** The codes of `Output.paint`. None of them can hide text. */
const ownColors = new RegExp(String.raw`(\x1b\[(?:1|2|22|31|32|33|36|39)m)`)

/** As `plainText`, for text that this program has colored. */
export const plainPainted = (text: string): string =>
  text
    .split(ownColors)
    .map((part, index) => (index % 2 === 1 ? part : plainText(part)))
    .join('')

/** JSON escapes C0 itself; the rest is escaped here, so that the value is unchanged for a program. */
export const plainJson = (value: unknown): string => escapedJson(JSON.stringify(value))

/** @param json on one line */
export const escapedJson = (json: string): string =>
  json.replace(unsafe, (character) =>
    character
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  )
