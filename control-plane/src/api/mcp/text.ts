/**
 * Text of tools for models. Names, labels and screens belong to tenants and apps, so every such text passes the filter of
 * `shared/src/plain.ts`, and stays inside its quotes and on its line. Pure.
 */
import { plain, plainLines } from '@phonerack/shared'

/** A value of an answer: `plainLines` filters each string, and `plain` each name of a field. */
export function plainValue(value: unknown): unknown {
  if (typeof value === 'string') return plainLines(value)
  if (Array.isArray(value)) return value.map(plainValue)
  if (typeof value !== 'object' || value === null) return value
  return plainFields(value)
}

export const plainFields = (fields: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [plain(name), plainValue(value)]))

/** One line without quotes, for our messages, which may contain a value. */
export const oneLine = (text: string): string => plain(text.replaceAll(/\r?\n/g, String.raw`\n`))

/** A JSON value on one line, with strings in quotes. */
export const quoted = (value: unknown): string => JSON.stringify(plainValue(value))

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
