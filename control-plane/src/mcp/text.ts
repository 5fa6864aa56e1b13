/**
 * Text of tools for models. Names, labels and screens belong to tenants and apps, so every such text is escaped: it stays inside
 * its quotes and on its line, and cannot change the direction of the text around it. Pure.
 */

/** Control characters, line and paragraph separators, and marks of text direction. */
const unprintable = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu

const escaped = (character: string): string =>
  character === '\n' ? '\\n' : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

/** One line without quotes, for our messages, which may contain a value. */
export const oneLine = (text: string): string => text.replace(unprintable, escaped)

/** A JSON value on one line, with strings in quotes. */
export const quoted = (value: unknown): string => oneLine(JSON.stringify(value))

/** Lines that are already escaped, such as the text form of a screen. */
export const safeLines = (text: string): string => text.split('\n').map(oneLine).join('\n')

/** Letters, digits and punctuation of IDs, statuses, times and packages need no quotes. */
const bare = /^[A-Za-z0-9_.:@/+-]+$/

const valueText = (value: unknown): string =>
  typeof value === 'string' && bare.test(value) ? value : quoted(value)

/** One line for each field that has a value: `name value`. */
export const fieldLines = (fields: object): string[] =>
  Object.entries(fields)
    .filter(([name, value]) => value !== undefined && value !== null && name !== 'object')
    .map(([name, value]) => `${oneLine(name)} ${valueText(value)}`)

/** One line for an entry of a list: `name=value …`. */
export const entryLine = (fields: object): string =>
  Object.entries(fields)
    .filter(([name, value]) => value !== undefined && value !== null && name !== 'object')
    .map(([name, value]) => `${oneLine(name)}=${valueText(value)}`)
    .join(' ')
