/**
 * Parses query strings: numbers where the schema expects numbers, `name[key]` pairs where it
 * expects a record, and each known parameter at most once.
 */
import { isStorable } from '@phonerack/shared'
import type { $ZodType } from 'zod/v4/core'
import type { Issue } from '../../base/validation/validation-error.js'
import { shapeOf, unwrap } from '../../base/validation/issues.js'

type RawQuery = Record<string, string | string[]>

/**
 * `-12` is a whole number; `1e3`, `+1` and ` 1` are not and stay text. A number with too many
 * digits is out of every range.
 */
const wholeNumber = /^-?\d+$/

const kindOf = (schema: $ZodType): string => unwrap(schema)._zod.def.type

const once = (path: Issue['path']): Issue => ({
  path,
  message: 'must be given at most once',
  code: 'repeated',
})

/** Returns the values for the schema, and the issues found while reading. */
export function readQuery(
  schema: $ZodType,
  raw: RawQuery,
): { value: Record<string, unknown>; issues: Issue[] } {
  const value: Record<string, unknown> = {}
  const issues: Issue[] = []
  const take = (path: Issue['path'], given: string | string[]): string | null => {
    if (typeof given !== 'string') issues.push(once(path))
    else if (!isStorable(given))
      issues.push({ path, message: 'must not contain the NUL character', code: 'invalid_text' })
    else return given
    return null
  }
  for (const [name, field] of Object.entries(shapeOf(schema))) {
    if (kindOf(field) === 'record') {
      const pairs = readPairs(name, raw, take, issues)
      if (pairs) value[name] = pairs
    } else if (Object.hasOwn(raw, name)) {
      const text = take([name], raw[name] ?? '')
      if (text !== null)
        value[name] = kindOf(field) === 'number' && wholeNumber.test(text) ? Number(text) : text
    }
  }
  return { value, issues }
}

function readPairs(
  name: string,
  raw: RawQuery,
  take: (path: Issue['path'], given: string | string[]) => string | null,
  issues: Issue[],
): Record<string, string> | null {
  const pairs = new Map<string, string>()
  for (const [parameter, given] of Object.entries(raw)) {
    if (parameter !== name && !parameter.startsWith(`${name}[`)) continue
    const key = /^[^[]*\[(.*)\]$/s.exec(parameter)?.[1]
    // The schema never sees a field called `__proto__`, so its filter would be ignored.
    if (key === undefined || key === '__proto__') {
      issues.push({ path: [name], message: `must be given as ${name}[<key>]=value`, code: 'invalid_key' })
      continue
    }
    const text = take([name, key], given)
    if (text !== null) pairs.set(key, text)
  }
  return pairs.size > 0 ? Object.fromEntries(pairs) : null
}
