/** Lists and deletes users of the console, for an operator with a token. */
import { ApiError } from '@phonerack/shared'
import { type Core } from '../../base/core/core.js'
import { type Change, type Work } from '../../base/audit/work.js'

/** Returns users, oldest first. */
export async function listUsers({ db }: Pick<Core, 'db'>) {
  const users = await db.user.findMany({
    include: { members: { select: { projectId: true, role: true }, orderBy: { createdAt: 'asc' } } },
    orderBy: { createdAt: 'asc' },
  })
  return users.map(({ id, name, email, isOperator, createdAt, members }) => ({
    id,
    name,
    email,
    is_operator: isOperator,
    created_at: createdAt.toISOString(),
    projects: members.map(({ projectId, role }) => ({ project: projectId, role })),
  }))
}

/**
 * Ends the user's sessions, memberships and links. Keys that the user created stay valid. @throws ApiError not_found
 */
export async function deleteUser({ tx }: Work, id: string): Promise<Change<{ id: string }>> {
  const user = await tx.user.findUnique({ where: { id } })
  if (!user) throw new ApiError('not_found', { message: 'There is no such user.', next: null })
  const { name, email, isOperator } = user
  await tx.invitation.deleteMany({
    where: { acceptedAt: null, OR: [{ createdBy: id }, { role: { in: ['reset', 'sign_up'] }, email }] },
  })
  await tx.user.delete({ where: { id } })
  return { result: { id }, target: id, before: { name, email, is_operator: isOperator }, after: null }
}
