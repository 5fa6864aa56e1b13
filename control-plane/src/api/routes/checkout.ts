/** POST /v1/credits/checkout */
import { limits } from '@phonerack/shared'
import { z } from 'zod'
import { callerOf } from '../http/auth.js'
import type { Route } from './deps.js'
import { describeErrors } from './errors.js'
import { postHeaders } from './fields.js'

const { minUsd, maxUsd, defaultUsd } = limits.checkout

export const checkoutAmount = z.int().min(minUsd).max(maxUsd)

const createCheckoutBody = z
  .strictObject({
    amount_usd: checkoutAmount
      .default(defaultUsd)
      .meta({ description: 'Credit in whole dollars, without tax.' }),
  })
  .prefault({})

export const createCheckout: Route = (app, { services }) => {
  app.post(
    '/credits/checkout',
    {
      schema: {
        operationId: 'createCheckout',
        summary: 'Get a link to buy credit',
        description:
          'Credit is added once the payment is confirmed: poll `GET /v1/account`. Unpaid links cost nothing.',
        tags: ['account'],
        headers: postHeaders,
        body: createCheckoutBody,
        response: {
          201: z.object({
            url: z.string().meta({ description: 'The checkout page of the payment provider.' }),
            amount_usd: z.int().meta({ description: 'Whole dollars; tax is added at checkout.' }),
          }),
          ...describeErrors(
            'payload_too_large',
            'billing_not_configured',
            'provider_error',
            'provider_timeout',
          ),
        },
      },
      config: { scope: 'phones:control' },
    },
    async (request, reply) => {
      const { amount_usd: amountUsd } = request.body
      const { url } = await services.checkout.create(callerOf(request), amountUsd)
      return reply.code(201).send({ url, amount_usd: amountUsd })
    },
  )
}
