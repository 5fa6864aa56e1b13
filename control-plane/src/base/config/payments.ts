/** The settings of payments. Without a secret key, clients cannot buy credit. */
import { setting } from '@phonerack/shared/settings'
import { z } from 'zod'

export interface PaymentsConfig {
  secretKey: string
  webhookSecret: string
  /** The provider's API. */
  url: string
  addsTax: boolean
}

export const paymentsEnvironment = {
  PHONERACK_STRIPE_SECRET_KEY: setting(
    z.string().min(1).optional(),
    'Secret key of Stripe. With the next setting, clients can buy credit.',
  ),
  PHONERACK_STRIPE_WEBHOOK_SECRET: setting(
    z.string().min(1).optional(),
    'Secret of the webhook of Stripe, which calls `POST /webhooks/stripe`.',
  ),
  PHONERACK_STRIPE_URL: setting(
    z.url({ protocol: /^https?$/ }).default('https://api.stripe.com'),
    'The API of Stripe.',
  ),
  PHONERACK_STRIPE_TAX: setting(z.enum(['on', 'off']).default('on'), '`off`: checkout adds no tax.'),
}

export function readPayments(env: z.infer<z.ZodObject<typeof paymentsEnvironment>>): PaymentsConfig | null {
  const { PHONERACK_STRIPE_SECRET_KEY: secretKey, PHONERACK_STRIPE_WEBHOOK_SECRET: webhookSecret } = env
  if (secretKey === undefined || webhookSecret === undefined) return null
  return {
    secretKey,
    webhookSecret,
    url: env.PHONERACK_STRIPE_URL,
    addsTax: env.PHONERACK_STRIPE_TAX === 'on',
  }
}
