/** Encrypts the keys of the certificate authority, and of a second one during its rotation, with another service key. For `rotate-service-key`. docs/decisions/0222 */
import { ServiceKey } from '../pki/service-key.js'
import { decryptAuthority, sealAuthority, type Stored } from './installation.js'
import { type Database } from './database.js'

export interface Rotation {
  /** ID of the service key that the database needs now. */
  to: string
}

/**
 * Safe to repeat after an interruption. Running replicas continue: they read the service key at their start only.
 * @param serviceKeyFile has the key that the database needs now
 * @param nextFile gets the next one; a key that is there is used
 * @param like a new `nextFile` gets the owner, group and mode of this file, if it exists
 * @throws StartRefusal when the current key is another one; Error when the database has no authority
 */
export async function rotateServiceKey(
  db: Database,
  serviceKeyFile: string,
  nextFile: string,
  like: string = nextFile,
): Promise<Rotation> {
  const row = await db.installation.findUnique({ where: { id: 1 } })
  if (row === null)
    throw new Error('the database has no certificate authority yet: start the control plane first')
  // Before the database changes: the next key must not be lost.
  const nextKey = await ServiceKey.ensure(nextFile, like)
  if (row.serviceKeyId === nextKey.id) return { to: nextKey.id }
  const again = async (stored: Stored) =>
    sealAuthority(await decryptAuthority(stored, row.serviceKeyId, { serviceKeyFile }), nextKey).key
  const { caCertificate, otherCaCertificate, otherCaKey } = row
  const caKey = await again({ certificate: caCertificate, key: row.caKey })
  const isOpen = otherCaCertificate !== null && otherCaKey !== null
  const { count } = await db.installation.updateMany({
    where: { id: 1, serviceKeyId: row.serviceKeyId, caCertificate, otherCaCertificate },
    data: {
      ...{ caKey, serviceKeyId: nextKey.id },
      ...(isOpen ? { otherCaKey: await again({ certificate: otherCaCertificate, key: otherCaKey }) } : {}),
    },
  })
  if (count !== 1)
    throw new Error('the certificate authority was changed at the same time: nothing was rotated')
  return { to: nextKey.id }
}
