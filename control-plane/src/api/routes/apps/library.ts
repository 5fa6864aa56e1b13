/** GET /v1/apps/library: apps that can be installed by package, the same for every project. */
import { limits } from '@phonerack/shared'
import { z } from 'zod'
import { callerOf } from '../../http/auth.js'
import { type Route } from '../deps.js'
import { describeErrors } from '../errors.js'
import { pageFields } from '../fields.js'
import { libraryPageSchema } from './schemas.js'

const libraryQuery = z.object({
  query: z
    .string()
    .refine((text) => Array.from(text).length <= limits.libraryQuery, {
      message: `must have at most ${limits.libraryQuery} characters`,
    })
    .optional()
    .meta({
      maxLength: limits.libraryQuery,
      description: 'Part of a package or app name, case-insensitive. If omitted, all apps are listed.',
    }),
  cursor: pageFields.cursor,
})

export const searchLibrary: Route = (app, { services }) => {
  app.get(
    '/apps/library',
    {
      schema: {
        operationId: 'searchLibrary',
        summary: 'Search the app library',
        description:
          'Lists the apps of the library, sorted by package, in pages of up to 50. Answers `429 rate_limited` while the library is still loading.',
        tags: ['apps'],
        querystring: libraryQuery,
        response: { 200: libraryPageSchema, ...describeErrors() },
      },
      config: { scope: 'phones:read' },
    },
    async (request) => {
      const { query, cursor } = request.query
      const page = await services.library.search(callerOf(request), query ?? null, cursor ?? null)
      return {
        data: page.data.map(({ versionCode, versionName, ...app }) => ({
          ...app,
          version_code: versionCode,
          version_name: versionName,
        })),
        next_cursor: page.nextCursor,
      }
    },
  )
}
