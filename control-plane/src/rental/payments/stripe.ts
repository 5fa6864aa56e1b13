/** The payment provider, Stripe: its checkout pages and its webhook. */
import type Stripe from 'stripe'
import { ApiError } from '@phonerack/shared'
import { type PaymentsConfig } from '../../base/config/payments.js'
import { type ReturnPages } from './types.js'

/** Milliseconds per call; a call is tried twice. */
const timeout = 8000

export interface Payments {
  /**
   * Creates a page for paying `checkoutId`. The same ID returns the same page. @throws ApiError
   * provider_error, provider_timeout
   */
  createPage(page: { checkoutId: string; amountUsd: number; pages: ReturnPages }): Promise<string>
  /**
   * The URL of a payment's receipt; null: the payment has none.
   * @throws ApiError provider_error, provider_timeout
   */
  receiptOf(paymentIntent: string): Promise<string | null>
  /**
   * Parses a webhook's body. Returns the payment or reversal, or null for other events.
   * @throws ApiError validation_failed when the signature is invalid, or older than five minutes
   */
  reportIn(body: Buffer, signature: string): PaymentReport | null
}

export type PaymentReport = { payment: Payment } | { reversal: ReportedReversal }

export interface Payment {
  /** The provider's ID of the paid page. */
  id: string
  /** The checkout ID on the page; null: this service did not create the page. */
  checkoutId: string | null
  paymentIntent: string | null
  /** The amount in cents without tax, and with tax. */
  cents: number
  totalCents: number
  /** The currency in ISO 4217, lower case. */
  currency: string
}

/** A refund, a dispute, or the refunded total of a charge. */
export interface ReportedReversal {
  id: string
  kind: 'charge' | 'refund' | 'dispute'
  paymentIntent: string | null
  checkoutId: string | null
  cents: number
  currency: string
  isActive: boolean
  isFinal: boolean
}

/** Loads the provider's client on demand, since its 200 modules are not needed without payments. */
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
        message: 'The `Stripe-Signature` header does not match the body. Check the webhook secret.',
        cause: error,
      })
    }
  }

  /** @param outcome the outcome of the call for the payer, as a sentence */
  const failureOf = (error: unknown, outcome: string, next: string | null): unknown => {
    if (!(error instanceof Client.errors.StripeError)) return error
    const isLate = error instanceof Client.errors.StripeConnectionError
    return new ApiError(isLate ? 'provider_timeout' : 'provider_error', {
      message: isLate
        ? `The payment provider did not respond before the timeout. ${outcome} Try again later.`
        : `The payment provider refused the request. ${outcome}`,
      retryable: isLate,
      next,
      cause: error,
    })
  }

  return {
    async createPage({ checkoutId, amountUsd, pages }) {
      try {
        const session = await stripe.checkout.sessions.create(
          {
            mode: 'payment',
            client_reference_id: checkoutId,
            // The provider copies the metadata to the charge, which identifies the link of a refund.
            payment_intent_data: { metadata: { checkout: checkoutId } },
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
            // Without this setting, charges, refunds and disputes use the payer's currency.
            adaptive_pricing: { enabled: false },
            success_url: pages.paid,
            cancel_url: pages.cancelled,
          },
          { idempotencyKey: checkoutId },
        )
        if (session.url) return session.url
        throw new ApiError('provider_error', {
          message: 'The payment provider did not return a checkout page. Try again later.',
        })
      } catch (error) {
        throw failureOf(error, 'Nothing was paid.', 'POST /v1/credits/checkout')
      }
    },
    async receiptOf(paymentIntent) {
      try {
        const expand = ['latest_charge']
        const { latest_charge: charge } = await stripe.paymentIntents.retrieve(paymentIntent, { expand })
        return charge === null || typeof charge === 'string' ? null : charge.receipt_url
      } catch (error) {
        throw failureOf(error, 'The payment is not affected.', null)
      }
    },

    reportIn: (body, signature) => reportOf(eventIn(body, signature)),
  }
}

function reportOf(event: Stripe.Event): PaymentReport | null {
  switch (event.type) {
    case 'checkout.session.completed':
    case 'checkout.session.async_payment_succeeded':
      return paymentOf(event.data.object)
    case 'charge.refunded':
      return { reversal: chargeOf(event.data.object) }
    case 'refund.created':
    case 'refund.updated':
    case 'refund.failed':
    case 'charge.refund.updated':
      return { reversal: refundOf(event.data.object) }
    case 'charge.dispute.created':
    case 'charge.dispute.updated':
    case 'charge.dispute.closed':
    case 'charge.dispute.funds_withdrawn':
    case 'charge.dispute.funds_reinstated':
      return { reversal: disputeOf(event.data.object) }
    default:
      return null
  }
}

function paymentOf(session: Stripe.Checkout.Session): PaymentReport | null {
  if (session.payment_status !== 'paid') return null
  return {
    payment: {
      id: session.id,
      checkoutId: session.client_reference_id,
      paymentIntent: idOf(session.payment_intent),
      cents: session.amount_subtotal ?? 0,
      totalCents: session.amount_total ?? session.amount_subtotal ?? 0,
      currency: session.currency ?? 'unknown',
    },
  }
}

const chargeOf = (charge: Stripe.Charge): ReportedReversal => ({
  id: charge.id,
  kind: 'charge',
  paymentIntent: idOf(charge.payment_intent),
  checkoutId: charge.metadata['checkout'] ?? null,
  cents: charge.amount_refunded,
  currency: charge.currency,
  isActive: true,
  isFinal: false,
})

/** Final statuses of a refund. */
const failedRefunds: ReadonlySet<string | null> = new Set(['failed', 'canceled'])

const refundOf = (refund: Stripe.Refund): ReportedReversal => ({
  id: refund.id,
  kind: 'refund',
  paymentIntent: idOf(refund.payment_intent),
  checkoutId: null,
  cents: refund.amount,
  currency: refund.currency,
  isActive: !failedRefunds.has(refund.status),
  isFinal: failedRefunds.has(refund.status),
})

/** A warning takes no money; a won dispute has returned its money. */
const harmless: ReadonlySet<string> = new Set([
  'won',
  'prevented',
  'warning_needs_response',
  'warning_under_review',
  'warning_closed',
])
const decided: ReadonlySet<string> = new Set(['won', 'lost', 'prevented', 'warning_closed'])

const disputeOf = (dispute: Stripe.Dispute): ReportedReversal => ({
  id: dispute.id,
  kind: 'dispute',
  paymentIntent: idOf(dispute.payment_intent),
  checkoutId: null,
  cents: dispute.amount,
  currency: dispute.currency,
  isActive: !harmless.has(dispute.status),
  isFinal: decided.has(dispute.status),
})

/** The provider sends an object either as its ID or in full. */
const idOf = (object: string | { id: string } | null | undefined): string | null =>
  typeof object === 'string' ? object : (object?.id ?? null)
