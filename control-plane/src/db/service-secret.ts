/** Keys that all replicas share, kept in the database. */
import { randomBytes } from 'node:crypto'
import { type Database } from './database.js'

/** The secret of this name, made by the first replica that asks for it: 32 bytes. */
export async function serviceSecret(db: Database, name: 'cursors'): Promise<Uint8Array> {
  await db.serviceSecret.createMany({ data: [{ name, secret: randomBytes(32) }], skipDuplicates: true })
  return (await db.serviceSecret.findUniqueOrThrow({ where: { name } })).secret
}
