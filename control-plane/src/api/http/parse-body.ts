import { type z } from 'zod'
import { type FastifyRequest } from 'fastify'
import { findIssues } from '../../base/validation/issues.js'
import { validationFailed } from '../../base/validation/validation-error.js'

/** @throws ApiError validation_failed with `details.issues` */
export function parseBody<S extends z.ZodType>(schema: S, request: FastifyRequest): z.output<S> {
  const { issues, data } = findIssues(schema, request.readBody ?? request.body ?? {})
  if (issues.length > 0) throw validationFailed('body', issues)
  return data as z.output<S>
}
