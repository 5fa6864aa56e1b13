/** The settings of payments. Without a secret key, clients cannot buy credit. */
import { z } from 'zod'

export interface PaymentsConfig {
  secretKey: string
  webhookSecret: string
  /** The provider's API. */
  url: string
  addsTax: boolean
}

export const paymentsEnvironment = {
  /** Both, or neither, which disables payments. */
  PHONERACK_STRIPE_SECRET_KEY: z.string().min(1).optional(),
  PHONERACK_STRIPE_WEBHOOK_SECRET: z.string().min(1).optional(),
  PHONERACK_STRIPE_URL: z.url({ protocol: /^https?$/ }).default('https://api.stripe.com'),
  /** `off`: checkout adds no tax. */
  PHONERACK_STRIPE_TAX: z.enum(['on', 'off']).default('on'),
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
