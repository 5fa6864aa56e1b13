/**
 * The sentences of `details.issues` and of `validation_failed`. Clients never get the schema library's texts, only the
 * messages of our schemas. Pure. Used by `issues.ts`, `validation-error.ts` and `api/mcp/server.ts`.
 */
import { mostSimilar } from '@phonerack/shared'
import type { $ZodIssue, $ZodType } from 'zod/v4/core'
import type { Issue, ValidationStage } from './validation-error.js'

export interface Bounds {
  minimum: number | null
  maximum: number | null
}

interface CheckDef {
  check: string
  value?: unknown
  minimum?: unknown
  maximum?: unknown
  length?: unknown
}

const finite = (value: unknown): number | null =>
  (typeof value === 'number' || typeof value === 'bigint') &&
  Math.abs(Number(value)) < Number.MAX_SAFE_INTEGER
    ? Number(value)
    : null

/** The limits in a field's schema: a number's range, or the length of a text or list. */
export function boundsOf(schema: $ZodType | null): Bounds {
  const bounds: Bounds = { minimum: null, maximum: null }
  const checks = (schema?._zod.def as { checks?: { _zod: { def: CheckDef } }[] } | undefined)?.checks ?? []
  for (const { _zod } of checks) {
    const { def } = _zod
    if (def.check === 'greater_than') bounds.minimum = finite(def.value) ?? bounds.minimum
    if (def.check === 'less_than') bounds.maximum = finite(def.value) ?? bounds.maximum
    if (def.check === 'min_length') bounds.minimum = finite(def.minimum) ?? bounds.minimum
    if (def.check === 'max_length') bounds.maximum = finite(def.maximum) ?? bounds.maximum
    if (def.check === 'length_equals') bounds.minimum = bounds.maximum = finite(def.length)
  }
  return bounds
}

/** The JSON Schema name of a type that the schema library expects. */
export const typeName = (expected: string): string =>
  ({ int: 'integer', record: 'object', tuple: 'array', map: 'object', set: 'array' })[expected] ?? expected

const nouns: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  integer: 'a whole number',
  boolean: '`true` or `false`',
  object: 'an object',
  array: 'an array',
  null: 'null',
}
const nounOf = (type: string): string => nouns[type] ?? `of type ${type}`

const units: Readonly<Record<string, string>> = {
  idle_timeout: 'seconds',
  max_duration: 'seconds',
  timeout: 'seconds',
  expires_in: 'seconds',
  amount_usd: 'US dollars',
}

function unitOf(path: Issue['path']): string {
  const name = String(path.at(-1) ?? '')
  const unit = units[name] ?? (/(?:^|_)ms$/.test(name) ? 'milliseconds' : null)
  return unit === null ? '' : ` ${unit}`
}

function range({ minimum, maximum }: Bounds, before: string, unit: string): string {
  if (minimum !== null && minimum === maximum) return `${before} exactly ${minimum}${unit}`
  if (minimum !== null && maximum !== null) return `${before} between ${minimum} and ${maximum}${unit}`
  if (minimum !== null) return `${before} at least ${minimum}${unit}`
  return maximum === null ? `${before} a number in range` : `${before} at most ${maximum}${unit}`
}

/** For a number, a text or a list that is too small or too large. */
export function sizePhrase(origin: string, bounds: Bounds, path: Issue['path']): string {
  if (origin === 'string') return range(bounds, 'must have', ' characters')
  if (origin === 'array' || origin === 'set' || origin === 'map' || origin === 'record')
    return range(bounds, 'must have', ' entries')
  return range(bounds, 'must be', unitOf(path))
}

/** @param type as `typeName` returns it @param received the JSON type name; `undefined` for an omitted field */
export function typePhrase(type: string, received: string, bounds: Bounds, path: Issue['path']): string {
  if (received === 'undefined') return 'is required'
  // A fraction, or a number beyond every range.
  if (received === 'number') {
    const limits = bounds.minimum === null && bounds.maximum === null ? '' : range(bounds, '', unitOf(path))
    return `must be ${type === 'integer' ? 'a whole number' : 'a number'}${limits}`
  }
  return `must be ${nounOf(type)}, not ${nounOf(received)}`
}

/** Messages do not repeat longer lists. */
export const maxListed = 25

/** @param received the value that was sent, to name the allowed values that resemble it */
export const choicePhrase = (allowed: readonly string[], received: unknown): string => {
  const near =
    allowed.length > maxListed && typeof received === 'string'
      ? mostSimilar(received, allowed, (value) => [value], { count: 3 })
      : []
  const listed = near.length > 0 ? near : allowed.slice(0, allowed.length > maxListed ? 5 : maxListed)
  const quoted = listed.map((value) => `\`${value}\``)
  if (quoted.length === 1 && allowed.length === 1) return `must be ${quoted[0] ?? ''}`
  if (quoted.length === allowed.length) return `must be one of ${quoted.join(', ')}`
  return `must be one of ${allowed.length} values, such as ${quoted.join(', ')}`
}

/** @param forms such as `ref + snapshot_id` */
export const formsPhrase = (forms: readonly string[]): string =>
  `must have exactly one of these sets of fields: ${forms.join('; ')}`

const formats: Readonly<Record<string, string>> = {
  url: 'must be an absolute URL',
  datetime: 'must be a time in ISO 8601, such as `2026-01-31T12:00:00.000Z`',
  email: 'must be an email address',
  uuid: 'must be a UUID',
}

/** For issues that have no message in our schema. */
export function formatPhrase(issue: $ZodIssue): string {
  if (issue.code === 'not_multiple_of') return `must be a multiple of ${issue.divisor}`
  if (issue.code !== 'invalid_format') return 'is not valid'
  const { pattern } = issue
  return (
    formats[issue.format] ??
    (pattern === undefined
      ? 'has the wrong format'
      : `must match \`${pattern.replace(/^\/|\/[a-z]*$/g, '')}\``)
  )
}

/** `actions[2].target.text` */
const pathText = (path: Issue['path']): string =>
  path.reduce<string>(
    (text, step) => (typeof step === 'number' ? `${text}[${step}]` : text === '' ? step : `${text}.${step}`),
    '',
  )

const subjects: Partial<Record<ValidationStage, string>> = {
  body: 'The request body',
  json: 'The request body',
  query: 'The query string',
  headers: 'The request',
}

/** Recognises a message that starts with the predicate of its field. */
const isPredicate = /^(?:is|must|may|can|cannot|has|does) /

/** Combines `issues` into the message of the whole error. */
export function sentenceOf(stage: ValidationStage, issues: readonly Issue[]): string | undefined {
  const [first] = issues
  if (!first) return undefined
  const { path, message } = first
  const more = issues.length > 1 ? ` ${issues.length - 1} more in \`details.issues\`.` : ''
  const subject = path.length > 0 ? `\`${pathText(path)}\`` : (subjects[stage] ?? 'The request')
  if (isPredicate.test(message)) return `${subject} ${message}.${more}`
  const sentence = message.charAt(0).toUpperCase() + message.slice(1)
  return path.length > 0 ? `${subject}: ${message}.${more}` : `${sentence}.${more}`
}
