/** GET /v1/phones */
import { limits } from '@phonerack/shared'
import { z } from 'zod'
import { callerOf } from '../../http/auth.js'
import type { Route } from '../deps.js'
import { describeErrors } from '../errors.js'
import { metadataKey, pageFields } from '../fields.js'
import { phonePageSchema } from '../schemas.js'
import { phoneJson } from '../views.js'
import { phoneStatuses } from '../../../base/core/statuses.js'

export const listPhonesQuery = z.object({
  status: z
    .enum(phoneStatuses)
    .optional()
    .meta({ description: 'If omitted: every status except `failed` and `deleted`.' }),
  metadata: z
    .record(metadataKey, z.string())
    .refine((pairs) => Object.keys(pairs).length <= 1, { message: 'must have exactly one key' })
    .optional()
    .meta({ description: '`metadata[<key>]=value` lists phones with this pair.' }),
  ...pageFields,
})

export const listPhones: Route = (app, { services }) => {
  app.get(
    '/phones',
    {
      schema: {
        operationId: 'listPhones',
        summary: 'List phones, newest first',
        tags: ['phones'],
        querystring: listPhonesQuery,
        response: { 200: phonePageSchema, ...describeErrors() },
      },
      config: { scope: 'phones:read' },
    },
    async (request) => {
      const caller = callerOf(request)
      const { status, metadata, limit, cursor } = request.query
      const [pair] = Object.entries(metadata ?? {})
      // A key limited to phones has at most 20 phones, which fit on one page.
      const whole = caller.phoneIds !== null
      const page = await services.phones.list(caller, {
        status: status ?? null,
        metadata: pair ? { key: pair[0], value: pair[1] } : null,
        limit: whole ? limits.page.max : limit,
        cursor: whole ? null : (cursor ?? null),
      })
      return { data: page.data.map(phoneJson), next_cursor: whole ? null : page.nextCursor }
    },
  )
}
