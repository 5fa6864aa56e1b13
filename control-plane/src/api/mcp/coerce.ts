/**
 * Reads the arguments of tools as their schema means them. Clients and models send JSON as text, numbers and booleans
 * as text, and `null` for omitted fields; `/v1` stays strict. `coerce` changes only values with one meaning, and the
 * tool still validates the result. Pure. docs/mcp.md#clients
 */
import { safeParse, type $ZodType } from 'zod/v4/core'
import { isRecord, optionFor, unwrap } from '../../base/validation/issues.js'
import { validationFailed } from '../../base/validation/validation-error.js'

type Path = (string | number)[]

/** Rewrites a value before its schema reads it. Throws `Correction` for a value that has several meanings. */
export type Reading = (value: unknown) => unknown

/** An argument with several meanings. The message says what to send instead. */
export class Correction extends Error {}

/** Forms that a schema accepts in addition to its own. */
const readings = new WeakMap<$ZodType, Reading>()

export function alsoReads(schema: $ZodType, reading: Reading): void {
  readings.set(unwrap(schema), reading)
}

type Def = $ZodType['_zod']['def'] & {
  shape?: Record<string, $ZodType>
  element?: $ZodType
  valueType?: $ZodType
  entries?: Record<string, unknown>
}

/**
 * Reads a request whose `params`, or `params.arguments`, are null or JSON text. The protocol checks all other fields.
 */
export function readRequest(message: unknown): unknown {
  if (!isRecord(message)) return message
  const { params, ...rest } = message
  if (params === null) return rest
  if (!isRecord(params)) return message
  const { arguments: given = null, ...others } = withoutNulls(params)
  const args = jsonIn('object', given)
  return { ...rest, params: args === null || args === '' ? others : { ...others, arguments: args } }
}

/** Longer lists are not coerced: the schemas refuse them, and coercion would take as long as reading their content. */
const maxCoerced = 200

/** @throws ApiError validation_failed for a value that needs a correction */
export function coerce(schema: $ZodType, given: unknown, path: Path = []): unknown {
  const inner = unwrap(schema)
  const def = inner._zod.def as Def
  const value = corrected(inner, jsonIn(def.type, given), path)
  switch (def.type) {
    case 'object':
      return isRecord(value) ? fieldsOf(def.shape ?? {}, value, path) : value
    case 'record':
      return isRecord(value)
        ? mapFields(value, (each, name) => coerceWith(def.valueType, each, [...path, name]))
        : value
    case 'array': {
      const list = listOf(value)
      if (!list || list.length > maxCoerced) return value
      return list.map((each, index) => coerceWith(def.element, each, [...path, index]))
    }
    case 'union': {
      const option = optionFor(inner, withoutNulls(value))
      return option ? coerce(option.schema, value, path) : value
    }
    case 'enum':
      return entryOf(def.entries ?? {}, value)
    default:
      return scalar(def.type, value)
  }
}

const coerceWith = (schema: $ZodType | undefined, value: unknown, path: Path): unknown =>
  schema ? coerce(schema, value, path) : value

function corrected(schema: $ZodType, value: unknown, path: Path): unknown {
  const reading = readings.get(schema)
  if (!reading) return value
  try {
    return reading(value)
  } catch (error) {
    if (error instanceof Correction) throw validationFailed('body', [{ path, message: error.message }])
    throw error
  }
}

/** Parses JSON text where the schema expects an object or a list. */
function jsonIn(type: string, value: unknown): unknown {
  if (typeof value !== 'string' || !['object', 'record', 'array', 'union'].includes(type)) return value
  const text = value.trim()
  if (!/^[[{]/.test(text)) return value
  try {
    return JSON.parse(text)
  } catch {
    return value
  }
}

/** Wraps a single value into a list. */
const listOf = (value: unknown): unknown[] | null =>
  Array.isArray(value) ? value : value === undefined || value === null ? null : [value]

function fieldsOf(
  shape: Record<string, $ZodType>,
  value: Record<string, unknown>,
  path: Path,
): Record<string, unknown> {
  const fields = Object.entries(value).flatMap(([name, field]) => {
    const schema = Object.hasOwn(shape, name) ? shape[name] : undefined
    if (isLeftOut(schema, field)) return []
    return [[name, schema ? coerce(schema, field, [...path, name]) : field] as const]
  })
  return Object.fromEntries(fields)
}

/** True for `null`, and for the empty text of an optional field that cannot be empty. */
function isLeftOut(schema: $ZodType | undefined, value: unknown): boolean {
  if (value !== null && value !== '') return false
  if (!schema) return value === null
  return (value === null || schema._zod.optin === 'optional') && !safeParse(schema, value).success
}

/** Removes fields that are null: the fields of a value decide which option of a union it is. */
const withoutNulls = <T>(value: T): T =>
  isRecord(value)
    ? (Object.fromEntries(Object.entries(value).filter(([, field]) => field !== null)) as T)
    : value

const mapFields = (
  value: Record<string, unknown>,
  change: (value: unknown, name: string) => unknown,
): Record<string, unknown> =>
  Object.fromEntries(Object.entries(value).map(([name, each]) => [name, change(each, name)]))

/** Finds the entry of an enumeration that differs only in case. */
function entryOf(entries: Record<string, unknown>, value: unknown): unknown {
  if (typeof value !== 'string') return value
  const folded = value.trim().toLowerCase()
  return Object.values(entries).find((entry) => String(entry).toLowerCase() === folded) ?? value
}

const number = /^[+-]?\d+(\.\d+)?$/

function scalar(type: string, value: unknown): unknown {
  if (type === 'string')
    return Number.isSafeInteger(value) || typeof value === 'boolean' ? String(value) : value
  if (typeof value !== 'string') return value
  const text = value.trim()
  if (type === 'number') return number.test(text) ? Number(text) : value
  if (type === 'boolean' && /^(true|false)$/i.test(text)) return text.toLowerCase() === 'true'
  return value
}
