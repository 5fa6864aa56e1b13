/** Accounts at identity providers, with which users sign in. docs/decisions/0290 */
import { ApiError, newId } from '@phonerack/shared'
import { type Core } from '../../base/core/core.js'
import { type Tx } from '../../base/db/database.js'
import { type Identity, type Provider } from './providers/types.js'
import { type Actor } from './types.js'
import { asUser } from './work.js'

/** Limit of accounts at providers for a user. */
const most = 10

/** Selects the rows that do not hold a password. */
export const isLinked = { providerId: { not: 'credential' } }

/**
 * Counts the passwords, passkeys and accounts with which the user can sign in, except one. @param id the ID of the
 * excluded passkey or account
 */
export async function otherWays(tx: Tx, userId: string, id: string): Promise<number> {
  const passkeys = await tx.passkey.count({ where: { userId, id: { not: id } } })
  const accounts = await tx.userAccount.count({
    where: { userId, id: { not: id }, OR: [{ password: { not: null } }, isLinked] },
  })
  return passkeys + accounts
}

/** Returns the ID of the user with this account; null if no user has it. */
export async function userOfAccount(
  { db }: Pick<Core, 'db'>,
  provider: Provider,
  { subject }: Identity,
): Promise<string | null> {
  const row = await db.userAccount.findUnique({
    where: { providerId_accountId: { providerId: provider.key, accountId: subject } },
    select: { userId: true },
  })
  return row?.userId ?? null
}

export const hasPassword = async ({ db }: Pick<Core, 'db'>, userId: string): Promise<boolean> =>
  (await db.userAccount.count({ where: { userId, password: { not: null } } })) > 0

/** @param providers the providers of the configuration */
export async function listAccounts({ db }: Pick<Core, 'db'>, userId: string, providers: Iterable<Provider>) {
  const rows = await db.userAccount.findMany({
    where: { userId, ...isLinked },
    orderBy: { createdAt: 'asc' },
    select: { id: true, providerId: true, createdAt: true },
  })
  const names = new Map([...providers].map(({ key, name }) => [key, name]))
  return rows.map(({ id, providerId, createdAt }) => ({
    id,
    name: names.get(providerId) ?? providerId,
    is_usable: names.has(providerId),
    created_at: createdAt.toISOString(),
  }))
}

export const notVerified = ({ name }: Pick<Provider, 'name'>): ApiError =>
  new ApiError('invalid_request', {
    message: `${name} has not verified your e-mail address.`,
    next: `Verify it at ${name}, then try again.`,
    details: { reason: 'not_verified' },
  })

/** Links an account to the signed-in user. @throws ApiError invalid_request */
export const linkAccount = (core: Core, actor: Actor, provider: Provider, identity: Identity) =>
  asUser(core, actor, 'account.link', async ({ tx, now }) => {
    if (!identity.isVerified) throw notVerified(provider)
    const userId = actor.user.id
    await tx.$queryRaw`select 1 from users where id = ${userId} for update`
    if ((await tx.userAccount.count({ where: { userId, ...isLinked } })) >= most)
      throw new ApiError('invalid_request', {
        message: `You have ${most} accounts at identity providers, which is the limit.`,
        next: 'Remove one account first.',
      })
    const row = { id: newId('userAccount'), providerId: provider.key, accountId: identity.subject, userId }
    const { count } = await tx.userAccount.createMany({
      data: [{ ...row, createdAt: now, updatedAt: now }],
      skipDuplicates: true,
    })
    if (count === 0)
      throw new ApiError('invalid_request', {
        message: `This account of ${provider.name} is already used to sign in.`,
        next: `Choose another account at ${provider.name}.`,
        details: { reason: 'account_taken' },
      })
    const after = { account: row.id, provider: provider.key, email: identity.email }
    return { result: { id: row.id }, target: userId, before: null, after }
  })

/** @throws ApiError not_found; invalid_request for the user's only way to sign in */
export const unlinkAccount = (core: Core, actor: Actor, id: string) =>
  asUser(core, actor, 'account.unlink', async ({ tx }) => {
    const userId = actor.user.id
    await tx.$queryRaw`select 1 from users where id = ${userId} for update`
    const row = await tx.userAccount.findFirst({ where: { id, userId, ...isLinked } })
    if (!row) throw new ApiError('not_found', { message: 'There is no such account.', next: null })
    if ((await otherWays(tx, userId, id)) === 0)
      throw new ApiError('invalid_request', {
        message: 'This account is your only way to sign in.',
        next: 'Add a passkey or a password first.',
      })
    await tx.userAccount.delete({ where: { id } })
    return { result: { id }, target: userId, before: { account: id, provider: row.providerId }, after: null }
  })
