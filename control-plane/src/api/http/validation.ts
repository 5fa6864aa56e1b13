/** Validates requests against the schemas of their routes; Fastify's validator compiler. */
import type { FastifySchemaCompiler } from 'fastify'
import type { $ZodType } from 'zod/v4/core'
import { validationFailed, type Issue, type ValidationStage } from '../../base/validation/validation-error.js'
import { findIssues } from '../../base/validation/issues.js'
import { readQuery } from './query.js'

type Checked = { value: unknown } | { error: Error }

function check(schema: $ZodType, value: unknown, stage: ValidationStage, before: Issue[] = []): Checked {
  const { issues: found, data } = findIssues(schema, value)
  // `readQuery` removed the refused parameters, so the schema must not report them as missing.
  const refused = new Set(before.map(({ path }) => String(path[0])))
  const issues = [...before, ...found.filter(({ path }) => !refused.has(String(path[0])))]
  if (issues.length > 0) return { error: validationFailed(stage, issues) }
  return { value: data }
}

/** Returns the error of a request's headers under its route's schema, or null. */
export function headerRefusal(schema: unknown, headers: Record<string, unknown>): Error | null {
  const checked = schema ? check(schema as $ZodType, headers, 'headers') : { value: headers }
  return 'error' in checked ? checked.error : null
}

/**
 * Does not refuse path parameters: a malformed phone ID is a phone that does not exist, which is reported after the
 * body is checked.
 */
export const validatorCompiler: FastifySchemaCompiler<$ZodType> = ({ schema, httpPart }) => {
  switch (httpPart) {
    case 'body':
      // Fastify passes null for a missing body. A body of `null` was refused when it was read.
      return (body: unknown) => check(schema, body ?? undefined, 'body')
    case 'querystring':
      return (raw: Record<string, string | string[]>) => {
        const { value, issues } = readQuery(schema, raw)
        return check(schema, value, 'query', issues)
      }
    case 'headers':
      return (headers: Record<string, unknown>) => {
        const checked = check(schema, headers, 'headers')
        return 'error' in checked ? checked : { value: headers }
      }
    default:
      return (value: unknown) => ({ value })
  }
}
