/**
 * The key that encrypts the secrets of webhooks. It is in the database, encrypted with the service key, so that a rotation
 * of the service key changes one row, and running replicas keep working. docs/decisions/0272
 */
import { randomBytes } from 'node:crypto'
import { StartRefusal } from '../config/refusal.js'
import { ServiceKey } from '../pki/service-key.js'
import { type Database } from './database.js'

const context = 'phonerack webhook key'
const keyBytes = 32

export const sealWebhookKey = (key: Buffer, by: ServiceKey): Uint8Array<ArrayBuffer> => by.seal(key, context)

export const unsealWebhookKey = (sealed: Uint8Array, by: ServiceKey): Buffer => by.open(sealed, context)

/** Reads the key, or creates one. Call it after `openInstallation`, which checks the service key. @throws StartRefusal */
export async function openWebhookKey(
  db: Database,
  { serviceKeyFile }: { serviceKeyFile: string },
): Promise<ServiceKey> {
  const serviceKey = await ServiceKey.read(serviceKeyFile)
  if (serviceKey === null) throw new StartRefusal(`The service key ${serviceKeyFile} does not exist.`)
  // Only while none is there: another replica may do the same.
  await db.installation.updateMany({
    where: { id: 1, webhookKey: null },
    data: { webhookKey: sealWebhookKey(randomBytes(keyBytes), serviceKey) },
  })
  const { webhookKey } = await db.installation.findUniqueOrThrow({ where: { id: 1 } })
  if (webhookKey === null) throw new Error('the key of webhooks was removed at the same time: start again')
  try {
    return ServiceKey.of(unsealWebhookKey(webhookKey, serviceKey))
  } catch (error) {
    throw new StartRefusal(
      `The key of webhooks was changed in the database: ${serviceKeyFile} does not open it. Restore the table "installation" from a backup.`,
      { cause: error },
    )
  }
}
