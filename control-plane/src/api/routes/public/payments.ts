/**
 * Paths for the payment provider and for people who have paid: the provider's webhook, and two plain pages. Outside
 * `/v1`, without a key.
 */
import { ApiError } from '@phonerack/shared'
import { type FastifyPluginAsync, type FastifyRequest } from 'fastify'
import { type IncomingMessage } from 'node:http'
import { unknownNetwork } from '../../../base/failure-limit/network.js'
import { type Core } from '../../../base/core/core.js'
import { settle } from '../../../rental/payments/settle.js'
import { type PaymentReport, type Payments } from '../../../rental/payments/stripe.js'
import { checkSignatureHeader, createSignatureFailures } from '../../../rental/payments/webhook-gate.js'

const pages = {
  paid: 'Thank you. The credit is added as soon as the payment is confirmed. You can close this page.',
  cancelled: 'Nothing was paid. You can close this page.',
}

export const paymentsPlugin =
  (
    core: Core,
    payments: Payments | null,
    networkOf: (request: IncomingMessage) => string,
  ): FastifyPluginAsync =>
  (app) => {
    const failures = createSignatureFailures(core.clock)
    /** Addresses of open requests, read before the body, because a closed connection no longer has an address. */
    const networks = new WeakMap<FastifyRequest, string>()
    const configured = (): Payments => {
      if (payments) return payments
      throw new ApiError('billing_not_configured', {
        next: 'Ask the operator of this service to add credit to the project.',
      })
    }
    app.post(
      '/webhooks/stripe',
      {
        schema: { hide: true },
        config: { rawBody: true },
        bodyLimit: 1_000_000,
        onRequest: (request, _reply, done) => {
          configured()
          checkSignatureHeader(request.headers['stripe-signature'], core.clock.now())
          const network = networkOf(request.raw)
          failures.check(network)
          networks.set(request, network)
          done()
        },
      },
      async (request) => {
        const signature = request.headers['stripe-signature']
        const body = Buffer.isBuffer(request.readBody) ? request.readBody : Buffer.alloc(0)
        const report = readReport(body, typeof signature === 'string' ? signature : '', request)
        if (report) await settle(core, report)
        return { received: true }
      },
    )
    const readReport = (body: Buffer, signature: string, request: FastifyRequest): PaymentReport | null => {
      try {
        return configured().reportIn(body, signature)
      } catch (error) {
        failures.add(networks.get(request) ?? unknownNetwork)
        throw error
      }
    }
    for (const [name, text] of Object.entries(pages))
      app.get(`/checkout/${name}`, { schema: { hide: true } }, (_request, reply) =>
        reply.type('text/plain; charset=utf-8').serializer(String).send(text),
      )
    return Promise.resolve()
  }
