/** Accepts an invitation: as a new user, or as the one who is signed in. */
import { ApiError, newId } from '@phonerack/shared'
import { hashPassword } from 'better-auth/crypto'
import { type Core } from '../core/core.js'
import { type Invitation } from '../gen/prisma/client.js'
import { addAudit } from '../operator/audit.js'
import { onBehalf, type Origin, type Work } from '../operator/work.js'
import { lookAtInvitation, notValid, takeInvitation } from './invitations.js'
import { type Role, type User } from './types.js'

export interface NewUser {
  name: string
  email: string
  /** Null: the person adds a passkey next. */
  password: string | null
}

/** Gives the rights of the invitation. A user with more rights keeps them. */
async function grant({ tx, now }: Work, { id, role, projectId }: Invitation, userId: string): Promise<void> {
  if (projectId === null) {
    // Each start without an operator prints a link. Those of earlier starts end with the first operator.
    if ((await tx.user.count({ where: { isOperator: true } })) === 0)
      await tx.invitation.deleteMany({ where: { role: 'operator', acceptedAt: null, id: { not: id } } })
    await tx.user.update({ where: { id: userId }, data: { isOperator: true } })
    return
  }
  await tx.member.createMany({
    data: [{ projectId, userId, role: role as Role, createdAt: now }],
    skipDuplicates: true,
  })
}

/** @throws ApiError not_found for a link that is for a new password */
async function finish(work: Work, invitation: Invitation, user: Pick<User, 'id' | 'email'>): Promise<void> {
  const { tx, now, operator } = work
  if (invitation.role === 'reset') throw notValid()
  await grant(work, invitation, user.id)
  await tx.invitation.update({
    where: { id: invitation.id },
    data: { acceptedAt: now, acceptedBy: user.id },
  })
  const after = { invitation: invitation.id, role: invitation.role, project: invitation.projectId }
  const change = { target: user.id, before: null, after }
  const { address, requestId } = operator
  await addAudit(work, 'invitation.accept', change, {
    ...{ tokenId: user.id, tokenName: user.email, address, requestId },
  })
}

/** Creates the user. Returns their ID. @throws ApiError not_found; invalid_request for an address that has an account */
export async function acceptAsNewUser(
  core: Core,
  from: Origin,
  token: string,
  input: NewUser,
): Promise<string> {
  // First, so that a guessed link does not cost a hash.
  await lookAtInvitation(core, token)
  const hash = input.password === null ? null : await hashPassword(input.password)
  return onBehalf(core, from, async (work) => {
    const { tx, now } = work
    const invitation = await takeInvitation(work, token)
    const email = (invitation.email ?? input.email).toLowerCase()
    const id = newId('user')
    // Not a check before: another request may create the same one at this moment.
    const { count } = await tx.user.createMany({
      data: [{ id, name: input.name, email, createdAt: now, updatedAt: now }],
      skipDuplicates: true,
    })
    if (count === 0)
      throw new ApiError('invalid_request', {
        message: 'There is an account with this e-mail address.',
        next: 'Sign in, then open the link again.',
        details: { reason: 'account_exists' },
      })
    if (hash !== null)
      await tx.userAccount.create({
        data: {
          ...{
            id: newId('userAccount'),
            providerId: 'credential',
            accountId: id,
            userId: id,
            password: hash,
          },
          ...{ createdAt: now, updatedAt: now },
        },
      })
    await finish(work, invitation, { id, email })
    return id
  })
}

/** @throws ApiError not_found; invalid_request when the invitation is for another address */
export async function acceptAsUser(core: Core, from: Origin, token: string, user: User): Promise<void> {
  await onBehalf(core, from, async (work) => {
    const invitation = await takeInvitation(work, token)
    if (invitation.email !== null && invitation.email !== user.email)
      throw new ApiError('invalid_request', {
        message: `The invitation is for ${invitation.email}, and you are signed in as ${user.email}.`,
        next: 'Sign out, then open the link again.',
        details: { reason: 'other_account' },
      })
    await finish(work, invitation, user)
  })
}
