/** GET /v1/account */
import { callerOf } from '../http/auth.js'
import type { Route } from './deps.js'
import { describeErrors } from './errors.js'
import { accountSchema } from './schemas.js'
import { accountJson } from './views.js'

export const getAccount: Route = (app, { services }) => {
  app.get(
    '/account',
    {
      schema: {
        operationId: 'getAccount',
        summary: 'Get credit, limits and prices of the project',
        tags: ['account'],
        response: { 200: accountSchema, ...describeErrors() },
      },
      config: { scope: 'phones:read' },
    },
    async (request) => accountJson(await services.phones.account(callerOf(request))),
  )
}
