/** Encrypts the certificate authority's key with another service key. For `rotate-service-key`. docs/decisions/0222 */
import { fromPem } from '../pki/pem.js'
import { ServiceKey } from '../pki/service-key.js'
import { contextOf, decrypt } from './installation.js'
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
  const { certificatePem, privateKeyPem } = await decrypt(row, { serviceKeyFile })
  const caKey = nextKey.seal(fromPem('PRIVATE KEY', privateKeyPem), contextOf(certificatePem))
  const { count } = await db.installation.updateMany({
    where: { id: 1, serviceKeyId: row.serviceKeyId, caCertificate: row.caCertificate },
    data: { caKey, serviceKeyId: nextKey.id },
  })
  if (count !== 1)
    throw new Error('the certificate authority was changed at the same time: nothing was rotated')
  return { to: nextKey.id }
}
