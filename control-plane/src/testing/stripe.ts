/**
 * A stand-in for Stripe in tests, which Stripe's real client library calls: pages of checkouts, and signed
 * webhooks.
 */
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo } from 'node:net'
import Stripe from 'stripe'
import { type Plane } from './world.js'

const secretKey = 'sk_test_of_this_test'
const webhookSecret = 'whsec_of_this_test'

export interface StripeDouble {
  /** The settings for the control plane. */
  env: Record<string, string>
  /** The forms of requests for a checkout page. */
  forms: URLSearchParams[]
  /** Reports that a checkout was paid. Returns the status of the control plane's answer. */
  pay(plane: Plane, checkout: string, cents: number): Promise<number>
  close(): void
}

export async function startStripe(): Promise<StripeDouble> {
  const forms: URLSearchParams[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.once('end', () => {
      response.writeHead(200, { 'content-type': 'application/json' })
      const intent = /^\/v1\/payment_intents\/(\w+)/.exec(request.url ?? '')?.[1]
      if (intent !== undefined) {
        const charge = { id: 'ch_1', object: 'charge', receipt_url: `https://pay.stripe.com/${intent}` }
        response.end(JSON.stringify({ id: intent, object: 'payment_intent', latest_charge: charge }))
        return
      }
      forms.push(new URLSearchParams(Buffer.concat(chunks).toString()))
      const page = { id: 'cs_1', object: 'checkout.session', url: `https://pay.test/${forms.length}` }
      response.end(JSON.stringify(page))
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { webhooks } = new Stripe(secretKey)
  return {
    env: {
      PHONERACK_STRIPE_SECRET_KEY: secretKey,
      PHONERACK_STRIPE_WEBHOOK_SECRET: webhookSecret,
      PHONERACK_STRIPE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    },
    forms,
    async pay(plane, checkout, cents) {
      const object = {
        id: `cs_${checkout}`,
        object: 'checkout.session',
        client_reference_id: checkout,
        payment_status: 'paid',
        payment_intent: `pi_${checkout}`,
        currency: 'usd',
        amount_subtotal: cents,
        amount_total: cents,
      }
      const event = { id: 'evt_1', object: 'event', type: 'checkout.session.completed', data: { object } }
      const payload = JSON.stringify(event)
      const signature = webhooks.generateTestHeaderString({ payload, secret: webhookSecret })
      const answer = await plane.server.inject({
        method: 'POST',
        url: '/webhooks/stripe',
        payload,
        headers: { 'content-type': 'application/json', 'stripe-signature': signature },
      })
      return answer.statusCode
    },
    close: () => server.close(),
  }
}
