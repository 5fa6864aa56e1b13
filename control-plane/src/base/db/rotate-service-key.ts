/**
 * Encrypts the keys of the certificate authority, of the second authority during its rotation, and of webhooks, with a
 * new service key. For `rotate-service-key`.
 */
import { ServiceKey } from '../pki/service-key.js'
import { decryptAuthority, sealAuthority, type Stored } from './installation.js'
import { addEntry, type DatedActor } from './audit-log.js'
import { inTransaction, type Database } from './database.js'
import { sealWebhookKey, tryUnseal } from './webhook-key.js'

interface KeyFiles {
  /** The file with the current service key. */
  serviceKeyFile: string
  /** The file for the next service key. An existing key in it is used. */
  nextFile: string
  /** A new `nextFile` gets the owner, group and mode of this file, if it exists; default: `nextFile`. */
  like?: string
}

interface Rotation {
  /** ID of the service key that the database now needs. */
  to: string
}

/**
 * The function can safely be repeated after an interruption. Running replicas continue: they read the service key only
 * at start. @throws StartRefusal if the current key is a different key; Error if the database has no authority
 */
export async function rotateServiceKey(
  db: Database,
  { serviceKeyFile, nextFile, like = nextFile }: KeyFiles,
  by: DatedActor,
): Promise<Rotation> {
  const row = await db.installation.findUnique({ where: { id: 1 } })
  if (row === null)
    throw new Error('the database has no certificate authority yet: start the control plane first')
  // The next key is stored before the database changes, so that it cannot be lost.
  const nextKey = await ServiceKey.ensure(nextFile, like)
  if (row.serviceKeyId === nextKey.id) return { to: nextKey.id }
  const again = async (stored: Stored) =>
    sealAuthority(await decryptAuthority(stored, row.serviceKeyId, { serviceKeyFile }), nextKey).key
  const { caCertificate, otherCaCertificate, otherCaKey } = row
  const caKey = await again({ certificate: caCertificate, key: row.caKey })
  const isOpen = otherCaCertificate !== null && otherCaKey !== null
  const otherKey = isOpen
    ? { otherCaKey: await again({ certificate: otherCaCertificate, key: otherCaKey }) }
    : {}
  const ofWebhooks = await webhookKeyAgain(row.webhookKey, serviceKeyFile, nextKey)
  await inTransaction(db, async (tx) => {
    const { count } = await tx.installation.updateMany({
      // A replica that starts now may store the key of webhooks.
      where: {
        id: 1,
        serviceKeyId: row.serviceKeyId,
        caCertificate,
        otherCaCertificate,
        webhookKey: row.webhookKey,
      },
      data: { caKey, serviceKeyId: nextKey.id, ...otherKey, ...ofWebhooks },
    })
    if (count !== 1)
      throw new Error(
        'the keys of the installation were changed at the same time: nothing was rotated. Run the command again',
      )
    await addEntry(tx, by, {
      action: 'service_key.rotate',
      target: null,
      // The IDs of the keys, which their files also contain.
      before: { service_key: row.serviceKeyId },
      after: { service_key: nextKey.id },
    })
  })
  return { to: nextKey.id }
}

/** Returns the key of webhooks, encrypted with the next service key. */
async function webhookKeyAgain(
  sealed: Uint8Array | null,
  serviceKeyFile: string,
  nextKey: ServiceKey,
): Promise<{ webhookKey?: Uint8Array<ArrayBuffer> }> {
  const current = sealed === null ? null : await ServiceKey.read(serviceKeyFile)
  const key = sealed === null || current === null ? null : tryUnseal(sealed, current)
  // The next start replaces a key that the current service key does not decrypt.
  return key === null ? {} : { webhookKey: sealWebhookKey(key, nextKey) }
}
