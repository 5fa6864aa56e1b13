/**
 * The key that encrypts the secrets of webhooks. The database stores it, encrypted with the service key. A rotation of
 * the service key therefore changes one row, and running replicas keep working. docs/decisions/0272
 */
import { randomBytes } from 'node:crypto'
import { type Logger } from '@phonerack/shared'
import { StartRefusal } from '../config/refusal.js'
import { ServiceKey } from '../pki/service-key.js'
import { type Database } from './database.js'

const context = 'phonerack webhook key'
const keyBytes = 32

export const sealWebhookKey = (key: Buffer, by: ServiceKey): Uint8Array<ArrayBuffer> => by.seal(key, context)

/** Returns null if a different key encrypted it. */
export const tryUnseal = (sealed: Uint8Array, by: ServiceKey): Buffer | null => by.tryOpen(sealed, context)

/**
 * Reads the key, or creates a key. A stored key that the service key does not decrypt is replaced, which happens after
 * a release without webhooks rotated the service key. The secrets of webhooks are then unreadable until clients rotate
 * them. Must be called after `openInstallation`, which checks the service key. @throws StartRefusal
 */
export async function openWebhookKey(
  db: Database,
  { serviceKeyFile }: { serviceKeyFile: string },
  log: Pick<Logger, 'warn'>,
): Promise<ServiceKey> {
  const serviceKey = await ServiceKey.read(serviceKeyFile)
  if (serviceKey === null) throw new StartRefusal(`The service key ${serviceKeyFile} does not exist.`)
  /** Replaces only this key, and never under a service key that a rotation has just replaced. */
  const replace = (earlier: Uint8Array<ArrayBuffer> | null) =>
    db.installation.updateMany({
      where: { id: 1, webhookKey: earlier, serviceKeyId: serviceKey.id },
      data: { webhookKey: sealWebhookKey(randomBytes(keyBytes), serviceKey) },
    })
  const read = () => db.installation.findUniqueOrThrow({ where: { id: 1 } })
  let { webhookKey } = await read()
  // Another replica may create a key at the same time: the first insert wins.
  if (webhookKey === null) await replace(null)
  else if (tryUnseal(webhookKey, serviceKey) === null) {
    const { count } = await replace(webhookKey)
    if (count > 0)
      log.warn(
        { service_key: serviceKey.id },
        'the service key does not open the key of webhooks, so it was replaced: their deliveries fail until their secrets are rotated',
      )
  }
  webhookKey = (await read()).webhookKey
  const key = webhookKey === null ? null : tryUnseal(webhookKey, serviceKey)
  if (key === null)
    throw new StartRefusal('The keys of the installation were replaced at the same time. Start again.')
  return ServiceKey.of(key)
}
