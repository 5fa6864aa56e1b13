/** Sessions and passkeys of a user. */
import { ApiError } from '@phonerack/shared'
import { type Core } from '../../base/core/core.js'
import { otherWays } from './accounts.js'
import { type Actor } from './types.js'
import { asUser } from './work.js'

export async function listSessions(core: Core, userId: string, currentId: string) {
  const rows = await core.db.userSession.findMany({
    where: { userId, expiresAt: { gt: core.clock.now() } },
    orderBy: { createdAt: 'desc' },
    take: 100,
  })
  return rows.map((row) => ({
    id: row.id,
    is_current: row.id === currentId,
    address: row.ipAddress,
    user_agent: row.userAgent,
    signed_in_at: row.createdAt.toISOString(),
    expires_at: row.expiresAt.toISOString(),
  }))
}

/** Ends a session, which every replica refuses from the commit on. @throws ApiError not_found */
export const revokeSession = (core: Core, actor: Actor, id: string) =>
  asUser(core, actor, 'session.revoke', async ({ tx }) => {
    const { count } = await tx.userSession.deleteMany({ where: { id, userId: actor.user.id } })
    if (count === 0) throw new ApiError('not_found', { message: 'There is no such session.', next: null })
    return { result: { id }, target: actor.user.id, before: { session: id }, after: null }
  })

/** Signs one browser out. */
export async function endSession({ db }: Pick<Core, 'db'>, id: string): Promise<void> {
  await db.userSession.deleteMany({ where: { id } })
}

/** Adds the audit entry of the user's newest passkey. */
export const notePasskey = (core: Core, actor: Actor) =>
  asUser(core, actor, 'passkey.add', async ({ tx }) => {
    const { id } = await tx.passkey.findFirstOrThrow({
      where: { userId: actor.user.id },
      orderBy: { createdAt: 'desc' },
    })
    return { result: { id }, target: actor.user.id, before: null, after: { passkey: id } }
  })

export async function listPasskeys(core: Core, userId: string) {
  const rows = await core.db.passkey.findMany({ where: { userId }, orderBy: { createdAt: 'asc' } })
  return rows.map(({ id, name, createdAt }) => ({ id, name, created_at: createdAt?.toISOString() ?? null }))
}

/** @throws ApiError not_found; invalid_request for the user's only way to sign in */
export const removePasskey = (core: Core, actor: Actor, id: string) =>
  asUser(core, actor, 'passkey.remove', async ({ tx }) => {
    const userId = actor.user.id
    await tx.$queryRaw`select 1 from users where id = ${userId} for update`
    if ((await otherWays(tx, userId, id)) === 0)
      throw new ApiError('invalid_request', {
        message: 'This passkey is your only way to sign in.',
        next: 'Add another passkey first.',
      })
    const { count } = await tx.passkey.deleteMany({ where: { id, userId } })
    if (count === 0) throw new ApiError('not_found', { message: 'There is no such passkey.', next: null })
    return { result: { id }, target: userId, before: { passkey: id }, after: null }
  })

/** Deletes expired sessions, links and states. Called at intervals. */
export async function forgetSignIns({ db, clock }: Core): Promise<void> {
  const now = clock.now()
  const where = { expiresAt: { lt: now } }
  await db.userSession.deleteMany({ where })
  await db.userVerification.deleteMany({ where })
  await db.invitation.deleteMany({ where: { expiresAt: { lt: new Date(now.getTime() - 30 * 86_400_000) } } })
  // Anyone can request these links.
  await db.invitation.deleteMany({
    where: { role: { in: ['sign_up', 'reset'] }, expiresAt: { lt: new Date(now.getTime() - 86_400_000) } },
  })
  await db.attempt.deleteMany({ where: { endsAt: { lt: now } } })
}
