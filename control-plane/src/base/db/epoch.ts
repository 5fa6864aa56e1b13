/**
 * Identifies this database. The epoch changes with a restore and with a failover.
 * docs/decisions/0141
 */
import { randomBytes } from 'node:crypto'
import { type Reader, type Tx } from './database.js'

export async function readEpoch(db: Reader): Promise<string> {
  const rows = await db.$queryRaw<{ epoch: string }[]>`select current_epoch() as epoch`
  const epoch = rows[0]?.epoch
  if (epoch === undefined) throw new Error('the database has no epoch')
  return epoch
}

/**
 * Sets and returns a new epoch. From then on, a device is assigned only after its agent has confirmed it again, and
 * earlier silence of a host does not count.
 */
export async function renewEpoch(db: Pick<Tx, '$queryRaw' | 'databaseEpoch'>, now: Date): Promise<string> {
  await db.databaseEpoch.update({
    where: { id: 1 },
    data: { epoch: randomBytes(16).toString('hex'), changedAt: now },
  })
  await db.$queryRaw`update listened set counts_from_ms = total_ms returning id`
  return readEpoch(db)
}
