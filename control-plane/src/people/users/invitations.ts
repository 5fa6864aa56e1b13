/** One-time links that make a person a member of a project, or an operator. */
import { ApiError, hashSecret, isSecret, newId, newSecret } from '@phonerack/shared'
import { z } from 'zod'
import { type Core } from '../../base/core/core.js'
import { type Invitation } from '../../gen/prisma/client.js'
import { isValidGiver, validGivers } from '../../fleet/operator/givers.js'
import { type Change, type Origin, type Work } from '../../base/audit/work.js'
import { lockAsOwner } from './members.js'
import { type Actor, type Role } from './types.js'
import { asUser } from './work.js'

const defaultLifeMs = 7 * 86_400_000

/** Limit of open invitations of one project. */
const maxOpen = 100

export const emailSchema = z
  .email()
  .max(200)
  .transform((text) => text.toLowerCase())

/**
 * A link gives its holder this role, or does the following. `reset`: sets a new password. `sign_up`: creates an
 * account.
 */
type InvitationRole = 'operator' | 'reset' | 'sign_up' | Role

interface InvitationView {
  id: string
  role: InvitationRole
  email: string | null
  created_at: string
  expires_at: string
}

const viewOf = (row: Invitation): InvitationView => ({
  id: row.id,
  role: row.role as InvitationRole,
  email: row.email,
  created_at: row.createdAt.toISOString(),
  expires_at: row.expiresAt.toISOString(),
})

export type NewInvitation = InvitationView & { url: string }

/** @param consoleOrigin the origin of the link. The token is in the fragment, which no server logs */
const linkOf = (consoleOrigin: string, token: string): string => `${consoleOrigin}/console/welcome#${token}`

/**
 * @param invitation `isMailed`: only the recipient of mail to `email` gets the link. `createdBy`: the actor with whom
 * the link ends; empty if it ends with no actor @param lifeMs milliseconds for which the link is valid
 */
export async function addInvitation(
  { tx, now }: Pick<Work, 'tx' | 'now'>,
  consoleOrigin: string,
  invitation: {
    projectId: string | null
    role: InvitationRole
    email: string | null
    isMailed: boolean
    createdBy: string
  },
  lifeMs = defaultLifeMs,
): Promise<Change<NewInvitation>> {
  const token = newSecret('invitation')
  const row = await tx.invitation.create({
    data: {
      id: newId('invitation'),
      tokenHash: hashSecret(token),
      ...invitation,
      createdAt: now,
      expiresAt: new Date(now.getTime() + lifeMs),
    },
  })
  const after = { ...viewOf(row), project: row.projectId }
  return {
    result: { ...viewOf(row), url: linkOf(consoleOrigin, token) },
    target: row.id,
    before: null,
    after,
  }
}

/** For an operator with a token: creates a link that makes its holder an operator. */
export const inviteOperator = (work: Work, consoleOrigin: string): Promise<Change<NewInvitation>> =>
  addInvitation(work, consoleOrigin, {
    projectId: null,
    role: 'operator',
    email: null,
    isMailed: false,
    createdBy: work.actor.tokenId,
  })

export const inviteMember = (
  core: Core,
  actor: Actor,
  consoleOrigin: string,
  { projectId, role, email, isMailed }: { projectId: string; role: Role; email: string; isMailed: boolean },
): Promise<NewInvitation> =>
  asUser(core, actor, 'invitation.create', async (work) => {
    const { tx, now } = work
    await lockAsOwner(work, actor, projectId)
    const open = await tx.invitation.count({ where: { projectId, ...isOpen(now) } })
    if (open >= maxOpen)
      throw new ApiError('invalid_request', {
        message: `The project has ${open} open invitations, which is the limit.`,
        next: 'Withdraw some of them first.',
      })
    if ((await tx.member.count({ where: { projectId, user: { email } } })) > 0)
      throw new ApiError('invalid_request', { message: `${email} is a member of the project already.` })
    return addInvitation(work, consoleOrigin, { projectId, role, email, isMailed, createdBy: actor.user.id })
  })

const isOpen = (now: Date) => ({ acceptedAt: null, expiresAt: { gt: now } })

export async function listInvitations(core: Core, projectId: string) {
  const where = { projectId, ...isOpen(core.clock.now()) }
  const rows = await core.db.invitation.findMany({ where, orderBy: { createdAt: 'asc' } })
  return rows.map((row) => ({ ...viewOf(row), role: row.role as Role }))
}

/** @throws ApiError not_found */
export const withdrawInvitation = (core: Core, actor: Actor, projectId: string, id: string) =>
  asUser(core, actor, 'invitation.withdraw', async (work) => {
    const { tx } = work
    await lockAsOwner(work, actor, projectId)
    const row = await tx.invitation.findFirst({ where: { id, projectId, acceptedAt: null } })
    if (!row) throw new ApiError('not_found', { message: 'There is no such invitation.', next: null })
    await tx.invitation.delete({ where: { id } })
    return { result: { id }, target: id, before: { ...viewOf(row), project: projectId }, after: null }
  })

/** Selects links for new operators, and links of operators for new passwords. */
const ofOperators = { projectId: null, role: { in: ['operator', 'reset'] } }

/** Returns the open links of `ofOperators`, oldest first. A link ends with the token or the user who created it. */
export async function listOperatorInvitations({ db, clock }: Pick<Core, 'db' | 'clock'>) {
  const now = clock.now()
  const where = { ...ofOperators, ...isOpen(now) }
  const rows = await db.invitation.findMany({ where, orderBy: { createdAt: 'asc' } })
  const valid = await validGivers(
    db,
    rows.map(({ createdBy }) => createdBy),
    now,
  )
  return rows
    .filter(({ createdBy }) => valid.has(createdBy))
    .map((row) => ({ ...viewOf(row), role: row.role as 'operator' | 'reset', created_by: row.createdBy }))
}

/** @throws ApiError not_found */
export async function withdrawOperatorInvitation({ tx }: Work, id: string): Promise<Change<{ id: string }>> {
  const row = await tx.invitation.findFirst({ where: { id, ...ofOperators, acceptedAt: null } })
  if (!row) throw new ApiError('not_found', { message: 'There is no such invitation.', next: null })
  await tx.invitation.delete({ where: { id } })
  return { result: { id }, target: id, before: { ...viewOf(row), project: null }, after: null }
}

export const notValid = (): ApiError =>
  new ApiError('not_found', {
    message: 'This link was already used, has expired, or is incomplete.',
    next: 'Ask for a new link.',
  })

export interface OpenInvitation {
  role: InvitationRole
  email: string | null
  project: { id: string; name: string } | null
}

/** Reads the rights that a link grants. @throws ApiError not_found */
export async function lookAtInvitation(core: Core, token: string): Promise<OpenInvitation> {
  const row = isSecret('invitation', token)
    ? await core.db.invitation.findFirst({
        where: { tokenHash: hashSecret(token), ...isOpen(core.clock.now()) },
        include: { project: { select: { id: true, name: true } } },
      })
    : null
  if (!row || !(await isValidGiver(core.db, row.createdBy, core.clock.now()))) throw notValid()
  return { role: row.role as InvitationRole, email: row.email, project: row.project }
}

/** Locks the invitation, so that it is used once. @throws ApiError not_found */
export async function takeInvitation({ tx, now }: Work<Origin>, token: string): Promise<Invitation> {
  if (!isSecret('invitation', token)) throw notValid()
  const tokenHash = hashSecret(token)
  await tx.$queryRaw`select 1 from invitations where token_hash = ${tokenHash} for update`
  const row = await tx.invitation.findFirst({ where: { tokenHash, ...isOpen(now) } })
  if (!row || !(await isValidGiver(tx, row.createdBy, now))) throw notValid()
  return row
}
