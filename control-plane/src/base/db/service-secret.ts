/** Secrets that all replicas share, stored in the database. */
import { randomBytes } from 'node:crypto'
import { addEntry, type DatedActor } from './audit-log.js'
import { inTransaction, type Database } from './database.js'

/** Returns the 32-byte secret of this name. The first replica that needs it creates it. */
export async function serviceSecret(db: Database, name: 'cursors'): Promise<Uint8Array> {
  await db.serviceSecret.createMany({ data: [{ name, secret: randomBytes(32) }], skipDuplicates: true })
  return (await db.serviceSecret.findUniqueOrThrow({ where: { name } })).secret
}

/** Replaces the secret. Running replicas keep the earlier secret until they restart. */
export async function replaceServiceSecret(db: Database, name: 'cursors', by: DatedActor): Promise<void> {
  const secret = randomBytes(32)
  await inTransaction(db, async (tx) => {
    await tx.serviceSecret.upsert({ where: { name }, create: { name, secret }, update: { secret } })
    await addEntry(tx, by, { action: 'service_secret.rotate', target: name, before: null, after: null })
  })
}
