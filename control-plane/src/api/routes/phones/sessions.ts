/** GET /v1/phones/{id}/sessions */
import { z } from 'zod'
import { callerOf } from '../../http/auth.js'
import { phoneIdOf, type Route } from '../deps.js'
import { describeErrors } from '../errors.js'
import { pageFields, phoneParams } from '../fields.js'
import { noteActivity } from '../lifecycle.js'
import { sessionPageSchema } from '../schemas.js'
import { sessionJson } from '../views.js'

export const listSessions: Route = (app, deps) => {
  app.get(
    '/phones/:id/sessions',
    {
      schema: {
        operationId: 'listSessions',
        summary: "List a phone's sessions, newest first",
        tags: ['phones'],
        params: phoneParams,
        querystring: z.object(pageFields),
        response: { 200: sessionPageSchema, ...describeErrors('phone_not_found', 'phone_not_allowed') },
      },
      config: { scope: 'phones:read' },
    },
    async (request) => {
      const id = phoneIdOf(request.params)
      const { limit, cursor = null } = request.query
      const page = await deps.services.phones.sessions(callerOf(request), id, { limit, cursor })
      await noteActivity(deps, request, id)
      return { data: page.data.map(sessionJson), next_cursor: page.nextCursor }
    },
  )
}
