/** Signs requests by Standard Webhooks: https://www.standardwebhooks.com */
import { randomBytes } from 'node:crypto'
import { Webhook } from 'standardwebhooks'

/** Returns `whsec_` and 32 random bytes in Base64. */
export const newWebhookSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`

/** @param secrets each secret gives a signature: during a rotation, the receiver knows one of them */
export const signedHeaders = (
  secrets: readonly string[],
  { id, at, body }: { id: string; at: Date; body: string },
): Record<string, string> => ({
  'webhook-id': id,
  'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
  'webhook-signature': secrets.map((secret) => new Webhook(secret).sign(id, at, body)).join(' '),
})
