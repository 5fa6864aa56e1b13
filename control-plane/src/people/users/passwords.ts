/** New passwords: changed by the user, or set by a one-time link after the user has lost the password. */
import { ApiError, newId } from '@phonerack/shared'
import { type ConsoleConfig } from '../../base/config/console.js'
import { type Core } from '../../base/core/core.js'
import { type Tx } from '../../base/db/database.js'
import { addAudit } from '../../base/audit/audit.js'
import { actingAs, inAuditedTransaction, type Change, type Origin, type Work } from '../../base/audit/work.js'
import { isLinked } from './accounts.js'
import { forgetAttempts } from './attempts.js'
import {
  addInvitation,
  lookAtInvitation,
  notValid,
  takeInvitation,
  type NewInvitation,
} from './invitations.js'
import { hashPassword } from './load-auth.js'
import { resetMail, type Mailer } from './mail.js'
import { type Actor } from './types.js'
import { asUser } from './work.js'

/** Milliseconds for which a link in a mail is valid. */
export const mailLinkMs = 3_600_000

type Console = ConsoleConfig['cookiePrefix']

/**
 * The subject under which wrong passwords are counted. Each console counts separately: wrong passwords at the public
 * console do not lock an operator out of the operators' console.
 */
export const passwordAttempts = (at: Console, email: string): string =>
  `password ${at} ${email.toLowerCase()}`

const consoles: readonly Console[] = ['phonerack', 'phonerack-operator']

async function writePassword(tx: Tx, userId: string, hash: string, now: Date): Promise<void> {
  const { count } = await tx.userAccount.updateMany({
    where: { userId, providerId: 'credential' },
    data: { password: hash, updatedAt: now },
  })
  if (count > 0) return
  await tx.userAccount.create({
    data: {
      id: newId('userAccount'),
      providerId: 'credential',
      accountId: userId,
      userId,
      password: hash,
      createdAt: now,
      updatedAt: now,
    },
  })
}

/** Ends earlier links, which must not replace a newer password. */
export const endOpenResets = (tx: Tx, email: string) =>
  tx.invitation.deleteMany({ where: { role: 'reset', email, acceptedAt: null } })

/** Sets the password, and ends the user's other sessions and the links for a new password. */
export async function changePassword(
  core: Core,
  actor: Actor,
  sessionId: string,
  password: string,
): Promise<void> {
  const hash = await hashPassword(password)
  await asUser(core, actor, 'password.change', async ({ tx, now }) => {
    await writePassword(tx, actor.user.id, hash, now)
    await tx.userSession.deleteMany({ where: { userId: actor.user.id, id: { not: sessionId } } })
    await endOpenResets(tx, actor.user.email)
    return { result: null, target: actor.user.id, before: null, after: null }
  })
}

/** For an operator: creates a link with which the user chooses a new password. @throws ApiError not_found */
export async function createReset(
  work: Work,
  consoleOrigin: string,
  email: string,
  isMailed = false,
): Promise<Change<NewInvitation>> {
  if ((await work.tx.user.count({ where: { email } })) === 0)
    throw new ApiError('not_found', { message: 'There is no account with this e-mail address.', next: null })
  const createdBy = work.actor.tokenId
  const invitation = { projectId: null, role: 'reset', email, isMailed, createdBy } as const
  return addInvitation(work, consoleOrigin, invitation, mailLinkMs)
}

/** Sends the user a link. The response does not reveal whether there is an account with this address. */
export async function requestReset(
  core: Core,
  mailer: Mailer,
  consoleOrigin: string,
  email: string,
  from: Origin,
): Promise<void> {
  const user = await core.db.user.findUnique({ where: { email } })
  if (!user) return
  const { url } = await asUser(core, { user, ...from }, 'password.reset_request', (work) =>
    createReset(work, consoleOrigin, email, true),
  )
  await mailer.send(resetMail(email, url))
}

/**
 * Replaces every way to sign in: passkeys and accounts at identity providers are removed and sessions end, since
 * another person may control the account, such as the person who created it with this address. Returns the user's ID.
 * @throws ApiError not_found
 */
export async function acceptReset(
  core: Core,
  from: Origin,
  token: string,
  password: string,
): Promise<string> {
  // The link is checked first, so that a guessed link does not cost a hash.
  await lookAtInvitation(core, token)
  const hash = await hashPassword(password)
  const user = await inAuditedTransaction(core, from, async (work) => {
    const { tx, now } = work
    const invitation = await takeInvitation(work, token)
    const { id: invitationId, role, email } = invitation
    const found = role === 'reset' && email !== null ? await tx.user.findUnique({ where: { email } }) : null
    if (!found) throw notValid()
    await writePassword(tx, found.id, hash, now)
    await tx.userSession.deleteMany({ where: { userId: found.id } })
    const passkeys = await tx.passkey.deleteMany({ where: { userId: found.id } })
    const linked = await tx.userAccount.deleteMany({ where: { userId: found.id, ...isLinked } })
    await tx.invitation.update({
      where: { id: invitationId },
      data: { acceptedAt: now, acceptedBy: found.id },
    })
    if (invitation.isMailed) await tx.user.update({ where: { id: found.id }, data: { emailVerified: true } })
    await endOpenResets(tx, found.email)
    await addAudit(actingAs(work, found.id, found.email), 'password.reset', {
      target: found.id,
      before: null,
      after: { removed_passkeys: passkeys.count, removed_accounts: linked.count },
    })
    return found
  })
  for (const at of consoles) await forgetAttempts(core.db, passwordAttempts(at, user.email))
  return user.id
}
