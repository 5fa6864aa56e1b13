/** GET /v1/phones/{id}, answered immediately or as a long poll. */
import { limits } from '@phonerack/shared'
import { callerOf } from '../../http/auth.js'
import { phoneIdOf, type Route } from '../deps.js'
import { describeErrors, phoneFailures } from '../errors.js'
import { phoneParams, waitQuery } from '../fields.js'
import { noteActivity } from '../lifecycle.js'
import { phoneSchema } from '../schemas.js'
import { phoneJson } from '../views.js'
import { failureOf, settledForParked, settledForReady } from '../waiting.js'

const { pollTimeout } = limits

const getPhoneQuery = waitQuery(['ready', 'parked'], 'Respond once the phone has this status.')

export const getPhone: Route = (app, deps) => {
  const { services, lifetimes } = deps
  app.get(
    '/phones/:id',
    {
      schema: {
        operationId: 'getPhone',
        summary: 'Get a phone, or wait until it is ready or parked',
        tags: ['phones'],
        params: phoneParams,
        querystring: getPhoneQuery,
        response: {
          200: phoneSchema,
          ...describeErrors('phone_not_found', 'phone_not_allowed', ...phoneFailures),
        },
      },
      config: { scope: 'phones:read' },
    },
    async (request, reply) => {
      const id = phoneIdOf(request.params)
      const { wait, timeout = pollTimeout.default } = request.query
      let phone = await services.phones.get(callerOf(request), id)
      if (wait !== 'parked') await noteActivity(deps, request, id)
      const settled = wait === 'parked' ? settledForParked : settledForReady
      if (wait !== undefined && !settled(phone)) {
        deps.waits.hold(callerOf(request), reply)
        phone = await services.phones.wait(id, settled, timeout * 1000, lifetimes.wait(reply))
        if (phone.status === 'failed') throw failureOf(phone)
      }
      return phoneJson(phone)
    },
  )
}
