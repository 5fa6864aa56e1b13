/** Accepts an invitation: creates a new user, or adds the rights to the signed-in user. */
import { ApiError } from '@phonerack/shared'
import { type SignUpConfig } from '../../base/config/sign-in.js'
import { type Core } from '../../base/core/core.js'
import { type Invitation } from '../../gen/prisma/client.js'
import { addAudit } from '../../base/audit/audit.js'
import { actingAs, inAuditedTransaction, type Origin, type Work } from '../../base/audit/work.js'
import { lookAtInvitation, notValid, takeInvitation } from './invitations.js'
import { addUser, type Credential } from './new-user.js'
import { finishSignUp, limitNewAccounts, maySignUp } from './sign-up.js'
import { type Role, type User } from './types.js'

interface NewUser {
  name: string
  email: string
  /** See `addUser`. */
  replaces?: boolean
}

/** Gives the rights of the invitation. A user with more rights keeps these rights. */
async function grant(
  { tx, now }: Work<Origin>,
  { id, role, projectId }: Invitation,
  userId: string,
): Promise<void> {
  if (role === 'operator') {
    // Each start without an operator prints a link. The links of earlier starts end with the first operator.
    if ((await tx.user.count({ where: { isOperator: true } })) === 0)
      await tx.invitation.deleteMany({ where: { role: 'operator', acceptedAt: null, id: { not: id } } })
    await tx.user.update({ where: { id: userId }, data: { isOperator: true } })
    return
  }
  if (projectId === null) throw new Error(`the invitation ${id} has no project`)
  await tx.member.createMany({
    data: [{ projectId, userId, role: role as Role, createdAt: now }],
    skipDuplicates: true,
  })
}

/** @throws ApiError not_found for a link that sets a new password */
async function finish(
  work: Work<Origin>,
  invitation: Invitation,
  user: Pick<User, 'id' | 'email'>,
): Promise<void> {
  const { tx, now } = work
  if (invitation.role === 'reset') throw notValid()
  await grant(work, invitation, user.id)
  await take(tx, invitation.id, user.id, now)
  const after = { invitation: invitation.id, role: invitation.role, project: invitation.projectId }
  const change = { target: user.id, before: null, after }
  await addAudit(actingAs(work, user.id, user.email), 'invitation.accept', change)
}

const take = (tx: Work['tx'], id: string, userId: string, now: Date) =>
  tx.invitation.update({ where: { id }, data: { acceptedAt: now, acceptedBy: userId } })

const otherAddress = (expected: string, given: string): ApiError =>
  new ApiError('invalid_request', {
    message: `The invitation is for ${expected}, and you are signed in as ${given}.`,
    next: 'Sign out, then open the link again.',
    details: { reason: 'other_account' },
  })

/**
 * Creates the user. Returns the user's ID. @param check returns the credential, already checked; for a provider's
 * account, the provider has verified `input.email`. It is called only for a valid link @throws ApiError not_found;
 * invalid_request for an address that has an account
 */
export async function acceptAsNewUser(
  core: Core,
  signUp: SignUpConfig,
  from: Origin,
  token: string,
  input: NewUser,
  check: () => Promise<Credential>,
): Promise<string> {
  // The link is checked first, so that a guessed link does not cost a hash.
  const { role } = await lookAtInvitation(core, token)
  if (role === 'sign_up') await limitNewAccounts(core, from)
  const credential = await check()
  const isOfProvider = 'account' in credential
  return inAuditedTransaction(core, from, async (work) => {
    const invitation = await takeInvitation(work, token)
    const email = (invitation.email ?? input.email).toLowerCase()
    // The provider has verified the person's address, which may differ from the address of the invitation.
    if (isOfProvider && email !== input.email) throw otherAddress(email, input.email)
    const isVerified = invitation.isMailed || invitation.role === 'sign_up' || isOfProvider
    const { name, replaces = false } = input
    const id = await addUser(work, { name, email, isVerified, credential, replaces })
    if (invitation.role === 'sign_up') {
      // The setting may have changed after the link was sent.
      if (!maySignUp(signUp, email)) throw notValid()
      await take(work.tx, invitation.id, id, work.now)
      await finishSignUp(work, signUp, { id, email }, 'mail')
    } else await finish(work, invitation, { id, email })
    return id
  })
}

/** @throws ApiError not_found; invalid_request when the invitation is for another address */
export async function acceptAsUser(core: Core, from: Origin, token: string, user: User): Promise<void> {
  await inAuditedTransaction(core, from, async (work) => {
    const invitation = await takeInvitation(work, token)
    if (invitation.email !== null && invitation.email !== user.email)
      throw otherAddress(invitation.email, user.email)
    if (invitation.role === 'sign_up')
      throw new ApiError('invalid_request', {
        message: `You are signed in as ${user.email}, and have an account.`,
        next: 'Sign out, then open the link again.',
        details: { reason: 'account_exists' },
      })
    await finish(work, invitation, user)
  })
}
