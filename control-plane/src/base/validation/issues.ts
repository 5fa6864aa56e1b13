/** Converts the schema library's findings to `details.issues`, with the permitted alternatives. */
import type { z } from 'zod'
import { safeParse, type $ZodIssue, type $ZodType, type output } from 'zod/v4/core'
import type { Issue } from './validation-error.js'
import {
  boundsOf,
  choicePhrase,
  formatPhrase,
  formsPhrase,
  sizePhrase,
  typeName,
  typePhrase,
  type Bounds,
} from './phrases.js'

type Path = (string | number)[]

export function jsonTypeOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  return value === undefined ? 'undefined' : typeof value
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const valueAt = (root: unknown, path: Path): unknown =>
  path.reduce<unknown>(
    (value, step) =>
      (isRecord(value) || Array.isArray(value)) && Object.hasOwn(value, step)
        ? (value as Record<string | number, unknown>)[step]
        : undefined,
    root,
  )

/** Returns a schema without its optional, default and nullable wrappers. */
export function unwrap(schema: $ZodType): $ZodType {
  const def = schema._zod.def as z.core.$ZodTypeDef & { innerType?: $ZodType }
  return def.innerType ? unwrap(def.innerType) : schema
}

const defOf = (schema: $ZodType) =>
  unwrap(schema)._zod.def as z.core.$ZodTypeDef & {
    shape?: Record<string, $ZodType>
    element?: $ZodType
    options?: readonly $ZodType[]
    discriminator?: string
    values?: readonly unknown[]
  }

export const shapeOf = (schema: $ZodType): Record<string, $ZodType> => defOf(schema).shape ?? {}

/**
 * Returns the union option that a value is probably meant for: chosen by the discriminator, or else the option with the
 * most fields in common.
 */
export function optionFor(schema: $ZodType, value: unknown): { schema: $ZodType; index: number } | null {
  const { options = [], discriminator } = defOf(schema)
  if (!isRecord(value)) return null
  const scores = options.map((option) => {
    const shape = shapeOf(option)
    if (discriminator !== undefined) {
      const literal = shape[discriminator]
      return literal && defOf(literal).values?.includes(value[discriminator]) ? 1 : 0
    }
    return Object.keys(value).filter((key) => Object.hasOwn(shape, key)).length
  })
  const best = Math.max(0, ...scores)
  const index = scores.indexOf(best)
  const option = options[index]
  return best > 0 && option ? { schema: option, index } : null
}

/** Clients choose the names: `toString` is a field only if the schema has one. */
function fieldOf(schema: $ZodType, name: string): $ZodType | undefined {
  const shape = shapeOf(schema)
  return Object.hasOwn(shape, name) ? shape[name] : undefined
}

/**
 * Returns the schema of the value at `path`, which can be a union; null if a union on the way leaves the schema
 * undetermined.
 */
function schemaAt(root: $ZodType, value: unknown, path: Path): $ZodType | null {
  let schema: $ZodType | null = unwrap(root)
  for (const [depth, step] of path.entries()) {
    const holder: $ZodType | null = defOf(schema).options
      ? (optionFor(schema, valueAt(value, path.slice(0, depth)))?.schema ?? null)
      : schema
    const part = holder ? (fieldOf(holder, String(step)) ?? defOf(holder).element) : undefined
    if (!part) return null
    schema = unwrap(part)
  }
  return schema
}

/** The permitted fields of the object at `path`. */
function fieldsAt(root: $ZodType, value: unknown, path: Path): string[] {
  const schema = schemaAt(root, value, path)
  if (!schema) return []
  return Object.keys(shapeOf(optionFor(schema, valueAt(value, path))?.schema ?? schema))
}

/** Returns the short form of a union option, such as `ref + snapshot_id`. */
const formOf = (option: $ZodType): string =>
  Object.entries(shapeOf(option))
    .filter(([, field]) => field._zod.optin === undefined)
    .map(([name]) => name)
    .join(' + ')

/**
 * Describes a value that fits no option: the unknown type, the possible forms, or the fields that the intended option
 * lacks.
 */
function fromUnion(issue: z.core.$ZodIssueInvalidUnion, path: Path, root: $ZodType, value: unknown): Issue[] {
  const { discriminator } = issue
  if (discriminator !== undefined) {
    const union = schemaAt(root, value, path.slice(0, -1))
    const alternatives = union ? literalsOf(union, discriminator) : []
    const received = valueAt(value, path)
    return [{ path, message: choicePhrase(alternatives, received), code: 'invalid_value', alternatives }]
  }
  const union = schemaAt(root, value, path)
  const here = valueAt(value, path)
  const option = union ? optionFor(union, here) : null
  const inner = option ? (issue.errors[option.index] ?? []) : []
  if (option && inner.length > 0)
    return toIssues(inner, option.schema, here).map((found) => ({ ...found, path: [...path, ...found.path] }))
  const forms = union ? (defOf(union).options ?? []).map(formOf) : []
  return [{ path, message: formsPhrase(forms), code: 'invalid_union', alternatives: forms }]
}

const literalsOf = (union: $ZodType, discriminator: string): string[] =>
  (defOf(union).options ?? []).flatMap((option) => {
    const literal = shapeOf(option)[discriminator]
    return (literal ? (defOf(literal).values ?? []) : []).map(String)
  })

function fromOne(issue: $ZodIssue, root: $ZodType, value: unknown): Issue[] {
  const path = issue.path.filter((step): step is string | number => typeof step !== 'symbol')
  // Only messages of our schemas are set: see `findIssues`.
  const own = issue.message === '' ? null : issue.message
  switch (issue.code) {
    case 'unrecognized_keys': {
      const alternatives = fieldsAt(root, value, path)
      return issue.keys.slice(0, maxIssues).map((key) => ({ ...unknownField([...path, key]), alternatives }))
    }
    case 'invalid_type': {
      const received = jsonTypeOf(valueAt(value, path))
      const schema = schemaAt(root, value, path)
      const bounds = boundsOf(schema)
      const expected = isInteger(schema) ? 'integer' : typeName(issue.expected)
      return [
        {
          path,
          message: typePhrase(expected, received, bounds, path),
          code: issue.code,
          expected,
          received,
          ...(received === 'number' ? given(bounds) : {}),
        },
      ]
    }
    case 'invalid_value': {
      const alternatives = issue.values.map(String)
      const received = valueAt(value, path)
      return [{ path, message: choicePhrase(alternatives, received), code: issue.code, alternatives }]
    }
    case 'too_small':
    case 'too_big': {
      const declared = boundsOf(schemaAt(root, value, path))
      const bounds =
        declared.minimum === null && declared.maximum === null
          ? {
              minimum: issue.code === 'too_small' ? Number(issue.minimum) : null,
              maximum: issue.code === 'too_big' ? Number(issue.maximum) : null,
            }
          : declared
      return [
        { path, message: own ?? sizePhrase(issue.origin, bounds, path), code: issue.code, ...given(bounds) },
      ]
    }
    case 'invalid_union':
      return fromUnion(issue, path, root, value)
    case 'invalid_key': {
      const [inner] = issue.issues
      return [{ path, message: own ?? (inner?.message || 'is not a valid field name'), code: issue.code }]
    }
    default:
      return [{ path, message: own ?? formatPhrase(issue), code: issue.code }]
  }
}

const isInteger = (schema: $ZodType | null): boolean =>
  (schema?._zod.def as { format?: string } | undefined)?.format === 'safeint'

const given = ({ minimum, maximum }: Bounds): { minimum?: number; maximum?: number } => ({
  ...(minimum === null ? {} : { minimum }),
  ...(maximum === null ? {} : { maximum }),
})

export const unknownField = (path: Path): Issue => ({
  path,
  message: 'is not a known field',
  code: 'unrecognized_keys',
})

/** Issues of one response. A body can break the rules in as many places as it has bytes. */
const maxIssues = 50
/** Alternatives of one issue. */
const maxAlternatives = 100
/** Findings of zod that are read. The number exceeds `maxIssues`, since several findings may be equivalent. */
const maxFindings = 4 * maxIssues

/** @param value the validated value, for the received type and the intended union option */
function toIssues(findings: readonly $ZodIssue[], schema: $ZodType, value: unknown): Issue[] {
  const issues = new Map<string, Issue>()
  for (const finding of findings.slice(0, maxFindings)) {
    for (const issue of fromOne(finding, schema, value)) {
      const place = JSON.stringify([issue.path, issue.message])
      if (!issues.has(place)) issues.set(place, capped(issue))
      if (issues.size >= maxIssues) return [...issues.values()]
    }
  }
  return [...issues.values()]
}

const capped = (issue: Issue): Issue =>
  issue.alternatives && issue.alternatives.length > maxAlternatives
    ? { ...issue, alternatives: issue.alternatives.slice(0, maxAlternatives) }
    : issue

/** Blanks the library's texts, so that a message is either from our schemas or empty. */
const ownMessagesOnly = { error: (): string => '' }

/** Validates a value. `issues` is empty for a valid value. */
export function findIssues<S extends $ZodType>(
  schema: S,
  value: unknown,
): { issues: Issue[]; data: output<S> | undefined } {
  const result = safeParse(schema, value, ownMessagesOnly)
  return result.success
    ? { issues: [], data: result.data }
    : { issues: toIssues(result.error.issues, schema, value), data: undefined }
}
