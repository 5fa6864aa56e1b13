/**
 * Finds out whether the giver of a link or a join token is still valid. Both give access, and end with the
 * operator token or the user who created them.
 */
import { type Tx } from '../../base/db/database.js'
import { refusalOf } from '../../base/audit/auth.js'

type Reader = Pick<Tx, 'operatorToken' | 'user'>

/** Returns the operator tokens in `ids` that are valid, and the console's users in `ids` that exist. */
export async function validGivers(db: Reader, ids: readonly string[], now: Date): Promise<Set<string>> {
  const id = { in: [...ids] }
  const tokens = await db.operatorToken.findMany({ where: { id } })
  const users = await db.user.findMany({ where: { id }, select: { id: true } })
  const valid = tokens.filter((token) => !refusalOf(token, now))
  return new Set([...valid, ...users].map((giver) => giver.id))
}

/**
 * @param giver null or empty: no operator, such as for a sign-up, or an earlier version did not store the
 * giver
 */
export const isValidGiver = async (db: Reader, giver: string | null, now: Date): Promise<boolean> =>
  !giver || (await validGivers(db, [giver], now)).has(giver)
