/** Checks requests against the schemas of their routes; set as Fastify's validator compiler. */
import type { FastifySchemaCompiler } from 'fastify'
import { safeParse, type $ZodType } from 'zod/v4/core'
import { validationFailed, type Issue, type ValidationStage } from './errors.js'
import { toIssues } from './issues.js'
import { readQuery } from './query.js'

type Checked = { value: unknown } | { error: Error }

function check(schema: $ZodType, value: unknown, stage: ValidationStage, before: Issue[] = []): Checked {
  const result = safeParse(schema, value)
  const issues = [...before, ...(result.success ? [] : toIssues(result.error.issues, schema, value))]
  if (issues.length > 0) return { error: validationFailed(stage, issues) }
  return { value: result.data }
}

/**
 * Path parameters are not refused here: a malformed phone ID is a phone that
 * does not exist, found after the body was checked.
 */
export const validatorCompiler: FastifySchemaCompiler<$ZodType> = ({ schema, httpPart }) => {
  switch (httpPart) {
    case 'body':
      // Fastify says null for no body; a body that is `null` was refused when it was read.
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
