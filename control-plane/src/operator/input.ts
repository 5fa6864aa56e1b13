/** Bodies of the operator's and the hosts' requests: strict, with the public error for what does not fit. */
import { ApiError } from '@phonerack/shared'
import { type FastifyRequest } from 'fastify'
import { type z } from 'zod'

/** @throws ApiError validation_failed with `details.issues` */
export function parseBody<S extends z.ZodType>(schema: S, request: FastifyRequest): z.output<S> {
  const body = request.readBody ?? request.body
  const parsed = schema.safeParse(body ?? {})
  if (parsed.success) return parsed.data
  throw new ApiError('validation_failed', {
    details: {
      validation_stage: 'body',
      issues: parsed.error.issues.map(({ path, message, code }) => ({ path, message, code })),
    },
  })
}

/** A field that passed its schema and still is not acceptable. */
export const invalidField = (field: string, message: string): ApiError =>
  new ApiError('validation_failed', {
    message: `${field} ${message}.`,
    details: { validation_stage: 'body', issues: [{ path: [field], message }] },
  })
