/** The secrets of webhooks in the database: encrypted, and valid only for their webhook. */
import { type ServiceKey } from '../../base/pki/service-key.js'
import { type Webhook } from '../../gen/prisma/client.js'

const contextOf = (webhookId: string): string => `phonerack webhook secret\n${webhookId}`

export const sealSecret = (key: ServiceKey, webhookId: string, secret: string): Uint8Array<ArrayBuffer> =>
  key.seal(Buffer.from(secret), contextOf(webhookId))

/** Returns null if another key encrypted the secret. */
const openSecret = (key: ServiceKey, webhookId: string, sealed: Uint8Array): string | null =>
  key.tryOpen(sealed, contextOf(webhookId))?.toString() ?? null

/** Returns the secrets that are valid at `now`, newest first; empty if they cannot be decrypted. */
export function secretsOf(
  key: ServiceKey,
  { id, secret, earlierSecret, earlierSecretUntil }: Webhook,
  now: Date,
): string[] {
  const sealed = [secret]
  if (earlierSecret !== null && earlierSecretUntil !== null && earlierSecretUntil > now)
    sealed.push(earlierSecret)
  return sealed.map((each) => openSecret(key, id, each)).filter((each) => each !== null)
}
