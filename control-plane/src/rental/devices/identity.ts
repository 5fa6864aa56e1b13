/**
 * Stores the identity that a phone got from a wipe, and the agent's profile of the phone. docs/decisions/0223
 */
import { type Reader, type Tx } from '../../base/db/database.js'

interface Answered {
  /** The public key; empty: the agent wrote no identity. */
  identity: string
  /** Empty: unknown. */
  profileJson: string
}

/**
 * The columns after a verified wipe. A key that belongs to another device is not stored: a host that repeats the key of a
 * device must not make that device ambiguous.
 */
export async function identityColumns(
  db: Pick<Tx, 'device'>,
  deviceId: string,
  { identity, profileJson }: Answered,
): Promise<{ identityKey: string | null; profile: string | null }> {
  const profile = profileJson === '' ? null : profileJson
  if (identity === '') return { identityKey: null, profile }
  const other = await db.device.findUnique({ where: { identityKey: identity }, select: { id: true } })
  return { identityKey: other === null || other.id === deviceId ? identity : null, profile }
}

/**
 * Stores the identity after a wipe within a session. Does nothing when the device was assigned again in the
 * meantime.
 */
export async function keepIdentity(
  db: Pick<Tx, 'device'>,
  { id, fencingNumber }: { id: string; fencingNumber: bigint },
  answer: Answered,
): Promise<void> {
  const data = await identityColumns(db, id, answer)
  await db.device.updateMany({ where: { id, fencingNumber }, data })
}

export interface Claimed {
  id: string
  hostName: string
}

/** The device that has an identity, if it is not `exceptId`. */
export async function deviceWith(db: Reader, identity: string, exceptId: string): Promise<Claimed | null> {
  const rows = await db.$queryRaw<Claimed[]>`select d.id, h.name as "hostName"
    from devices d join hosts h on h.id = d.host_id
    where d.identity_key = ${identity} and d.id <> ${exceptId} and h.retired_at is null`
  return rows[0] ?? null
}
