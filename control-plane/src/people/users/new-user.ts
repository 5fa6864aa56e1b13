/** Adds a user in the transaction that accepts the user's link or sign-up. */
import { ApiError, newId } from '@phonerack/shared'
import { type Passkey, type User } from '../../gen/prisma/client.js'
import { addAudit } from '../../base/audit/audit.js'
import { actingAs, type Origin, type Work } from '../../base/audit/work.js'
import { endOpenResets } from './passwords.js'

/** An account at an identity provider. */
interface AccountRef {
  /** The key of the provider. */
  provider: string
  subject: string
}

/** A passkey whose response was verified. */
export type NewPasskey = Pick<
  Passkey,
  'credentialID' | 'publicKey' | 'counter' | 'deviceType' | 'backedUp' | 'transports' | 'aaguid'
>

/** The first way to sign in, already checked: every account has one. */
export type Credential = { passwordHash: string } | { account: AccountRef } | { passkey: NewPasskey }

interface Added {
  name: string
  /** The address in lower case. */
  email: string
  /** The person has proved that they own the address. */
  isVerified: boolean
  credential: Credential
  /** True: another account with this address loses the address, if its user has not verified it. */
  replaces: boolean
}

const accountExists = (): ApiError =>
  new ApiError('invalid_request', {
    message: 'There is an account with this e-mail address.',
    next: 'Sign in, then open the link again.',
    details: { reason: 'account_exists' },
  })

/**
 * Whether the account may lose its address. An operator's rights never depend on an address, so an operator's account
 * keeps it.
 */
export const isReplaceable = (user: Pick<User, 'emailVerified' | 'isOperator'>): boolean =>
  !user.emailVerified && !user.isOperator

/** Removes the address from its account, which keeps its sessions, passkeys and projects. */
async function freeAddress(work: Work<Origin>, email: string, userId: string): Promise<void> {
  const { tx, now } = work
  await tx.$queryRaw`select 1 from users where email = ${email} for update`
  const holder = await tx.user.findUnique({ where: { email } })
  if (!holder || !isReplaceable(holder)) return
  const after = { email: `${holder.id}@replaced.invalid` }
  await tx.user.update({ where: { id: holder.id }, data: { ...after, updatedAt: now } })
  // A link for a new password finds its account by the address.
  await endOpenResets(tx, email)
  const change = { target: holder.id, before: { email }, after }
  await addAudit(actingAs(work, userId, email), 'user.replace_address', change)
}

/** Returns the ID of the user. @throws ApiError invalid_request for an address that has an account */
export async function addUser(work: Work<Origin>, added: Added): Promise<string> {
  const { tx, now } = work
  const { name, email, isVerified, credential, replaces } = added
  const id = newId('user')
  if (replaces) await freeAddress(work, email, id)
  const times = { createdAt: now, updatedAt: now }
  // The insert itself detects a conflict, since another request may create the same user at this moment.
  const { count } = await tx.user.createMany({
    data: [{ id, name, email, emailVerified: isVerified, ...times }],
    skipDuplicates: true,
  })
  if (count === 0) throw accountExists()
  const own = { userId: id, ...times }
  if ('passwordHash' in credential)
    await tx.userAccount.create({
      data: {
        id: newId('userAccount'),
        providerId: 'credential',
        accountId: id,
        ...own,
        password: credential.passwordHash,
      },
    })
  if ('passkey' in credential)
    await tx.passkey.create({
      data: { id: newId('passkey'), name, userId: id, createdAt: now, ...credential.passkey },
    })
  if ('account' in credential) {
    const { account } = credential
    const row = { id: newId('userAccount'), providerId: account.provider, accountId: account.subject, ...own }
    const linked = await tx.userAccount.createMany({ data: [row], skipDuplicates: true })
    // Another request has just created or linked this account.
    if (linked.count === 0) throw accountExists()
  }
  return id
}
