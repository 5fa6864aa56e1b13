/** GET /v1/phones/{id}/device */
import { z } from 'zod'
import { type Route } from '../deps.js'
import { describeErrors, intoPhone } from '../errors.js'
import { phoneParams } from '../fields.js'
import { whileActive } from '../into-phone.js'

const text = z.string().nullable()

const deviceSchema = z.object({
  brand: text,
  model: text,
  os_version: text,
  screen: z.object({ width: z.int(), height: z.int(), density: z.int() }),
  carrier: text,
})

export const getDevice: Route = (app, deps) => {
  app.get(
    '/phones/:id/device',
    {
      schema: {
        operationId: 'getDevice',
        summary: 'Get device info',
        tags: ['device'],
        params: phoneParams,
        response: { 200: deviceSchema, ...describeErrors(...intoPhone) },
      },
      config: { scope: 'phones:read' },
    },
    async (request, reply) => {
      const info = await whileActive(deps, request, reply, (caller, id, context) =>
        deps.services.settings.deviceInfo(caller, id, context),
      )
      const { brand, model, osVersion, screen, carrier } = info
      return { brand, model, os_version: osVersion, screen, carrier }
    },
  )
}
