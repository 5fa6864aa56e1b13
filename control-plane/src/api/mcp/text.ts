/**
 * Text of tools for models. Tenants and apps choose names, labels and screens, so each such text passes the filter of
 * `shared/src/plain.ts` and stays within its quotes and on its line. Pure.
 */
import { plain, plainLines } from '@phonerack/shared'

/** Filters a value of an answer: each string with `plainLines`, and each field name with `plain`. */
export function plainValue(value: unknown): unknown {
  if (typeof value === 'string') return plainLines(value)
  if (Array.isArray(value)) return value.map(plainValue)
  if (typeof value !== 'object' || value === null) return value
  return plainFields(value)
}

export const plainFields = (fields: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [plain(name), plainValue(value)]))

/** Puts one of our messages, which may contain a tenant's value, on one line without quotes. */
export const oneLine = (text: string): string => plain(text.replaceAll(/\r?\n/g, String.raw`\n`))

/** Returns a JSON value on one line, with strings in quotes. */
export const quoted = (value: unknown): string => JSON.stringify(plainValue(value))

/** IDs, statuses, times and packages consist of these characters and need no quotes. */
const bare = /^[A-Za-z0-9_.:@/+-]+$/

const valueText = (value: unknown): string =>
  typeof value === 'string' && bare.test(value) ? value : quoted(value)

/** Returns a line `name value` for each field that has a value. */
export const fieldLines = (fields: object): string[] =>
  Object.entries(fields)
    .filter(([name, value]) => value !== undefined && value !== null && name !== 'object')
    .map(([name, value]) => `${oneLine(name)} ${valueText(value)}`)

/** Returns a line `name=value …` for an entry of a list. */
export const entryLine = (fields: object): string =>
  Object.entries(fields)
    .filter(([name, value]) => value !== undefined && value !== null && name !== 'object')
    .map(([name, value]) => `${oneLine(name)}=${valueText(value)}`)
    .join(' ')
