/** What the payment provider and people who paid come back to: its webhook, and two plain pages. Outside `/v1`, without a key. */
import { ApiError } from '@phonerack/shared'
import { type FastifyPluginAsync } from 'fastify'
import { type Core } from '../phones/core.js'
import { settle } from './settle.js'
import { type Payments } from './stripe.js'

const pages = {
  paid: 'Thank you. The credit is added as soon as the payment is confirmed. You can close this page.',
  cancelled: 'Nothing was paid. You can close this page.',
}

export const paymentsPlugin =
  (core: Core, payments: Payments | null): FastifyPluginAsync =>
  (app) => {
    app.post(
      '/webhooks/stripe',
      { schema: { hide: true }, config: { rawBody: true }, bodyLimit: 1_000_000 },
      async (request) => {
        if (!payments)
          throw new ApiError('billing_not_configured', {
            next: 'Ask the operator of this service to add credit to the project.',
          })
        const signature = request.headers['stripe-signature']
        const body = Buffer.isBuffer(request.readBody) ? request.readBody : Buffer.alloc(0)
        const news = payments.newsIn(body, typeof signature === 'string' ? signature : '')
        if (news) await settle(core, news)
        return { received: true }
      },
    )
    for (const [name, text] of Object.entries(pages))
      app.get(`/checkout/${name}`, { schema: { hide: true } }, (_request, reply) =>
        reply.type('text/plain; charset=utf-8').serializer(String).send(text),
      )
    return Promise.resolve()
  }
