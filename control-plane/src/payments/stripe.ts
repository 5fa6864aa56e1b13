/** The payment provider, Stripe: pages to pay on, and what its webhook says. */
import type Stripe from 'stripe'
import { ApiError } from '@phonerack/shared'
import { type PaymentsConfig } from '../config.js'

/** Milliseconds of one call; it is tried twice. */
const timeout = 8000

export interface Payments {
  /**
   * A page on which somebody can pay for `checkoutId`. Called again with the same ID it gives the same page.
   * @throws ApiError provider_error, provider_timeout
   */
  createPage(page: { checkoutId: string; amountUsd: number; returnUrl: string }): Promise<string>
  /**
   * What a webhook's body says was paid; null for all that is no payment.
   * @throws ApiError validation_failed when the signature is not the provider's, or is older than five minutes
   */
  paymentIn(body: Buffer, signature: string): Payment | null
}

export interface Payment {
  checkoutId: string
  /** Cents without tax. */
  cents: number
  /** ISO 4217, small letters. */
  currency: string
}

/** Loads the provider's client, 200 modules that a service without payments does without. */
export async function openStripe(config: PaymentsConfig): Promise<Payments> {
  const { default: Client } = await import('stripe')
  const { hostname, port, protocol } = new URL(config.url)
  const stripe = new Client(config.secretKey, {
    host: hostname,
    port: port || (protocol === 'https:' ? 443 : 80),
    protocol: protocol === 'https:' ? 'https' : 'http',
    timeout,
    maxNetworkRetries: 1,
    telemetry: false,
  })
  const eventIn = (body: Buffer, signature: string): Stripe.Event => {
    try {
      return stripe.webhooks.constructEvent(body, signature, config.webhookSecret)
    } catch (error) {
      if (!(error instanceof Client.errors.StripeSignatureVerificationError)) throw error
      throw new ApiError('validation_failed', {
        message: 'The signature is not that of the payment provider.',
        cause: error,
      })
    }
  }

  return {
    async createPage({ checkoutId, amountUsd, returnUrl }) {
      try {
        const session = await stripe.checkout.sessions.create(
          {
            mode: 'payment',
            client_reference_id: checkoutId,
            line_items: [
              {
                quantity: 1,
                price_data: {
                  currency: 'usd',
                  unit_amount: amountUsd * 100,
                  tax_behavior: 'exclusive',
                  product_data: { name: 'Phonerack credit' },
                },
              },
            ],
            automatic_tax: { enabled: config.addsTax },
            success_url: `${returnUrl}/paid`,
            cancel_url: `${returnUrl}/cancelled`,
          },
          { idempotencyKey: checkoutId },
        )
        if (session.url) return session.url
        throw new ApiError('provider_error', { message: 'The payment provider gave no page.' })
      } catch (error) {
        if (!(error instanceof Client.errors.StripeError)) throw error
        const isLate = error instanceof Client.errors.StripeConnectionError
        throw new ApiError(isLate ? 'provider_timeout' : 'provider_error', {
          message: isLate
            ? 'The payment provider did not answer in time; nothing was paid.'
            : 'The payment provider refused; nothing was paid.',
          retryable: isLate,
          next: 'POST /v1/credits/checkout',
          cause: error,
        })
      }
    },

    paymentIn(body, signature) {
      const event = eventIn(body, signature)
      if (
        event.type !== 'checkout.session.completed' &&
        event.type !== 'checkout.session.async_payment_succeeded'
      )
        return null
      const { client_reference_id: checkoutId, payment_status, amount_subtotal, currency } = event.data.object
      if (payment_status !== 'paid' || checkoutId === null || amount_subtotal === null || currency === null)
        return null
      return { checkoutId, cents: amount_subtotal, currency }
    },
  }
}
