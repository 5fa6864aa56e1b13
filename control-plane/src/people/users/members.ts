/** Members of projects and their roles. */
import { ApiError } from '@phonerack/shared'
import { type Core } from '../../base/core/core.js'
import { type Prisma } from '../../gen/prisma/client.js'
import { createProject } from '../../fleet/operator/projects.js'
import { type Change, type Work } from '../../base/audit/work.js'
import { atLeast, type Actor, type Role, type User } from './types.js'
import { asUser } from './work.js'

export interface ProjectOfUser {
  id: string
  name: string
  ownerId: string
  role: Role
}

/** Limit of projects that a user may own. */
const maxOwned = 20

/** An operator has the rights of an owner in every project. */
const roleOf = (
  { isOperator }: Pick<User, 'isOperator'>,
  members: readonly { role: string }[],
): Role | null => (isOperator ? 'owner' : ((members[0]?.role ?? null) as Role | null))

export const noProject = (): ApiError =>
  new ApiError('not_found', { message: 'There is no such project, or you do not belong to it.', next: null })

export const lacksRole = (required: Role): ApiError =>
  new ApiError('insufficient_scope', {
    message: `Your role in this project must be ${required}.`,
    next: 'Ask an owner of the project.',
    details: { required },
  })

/** Returns the project with the user's role; null if it does not exist, or the user has no role in it. */
export async function findMembership(
  core: Core,
  user: User,
  projectId: string,
): Promise<ProjectOfUser | null> {
  const project = await core.db.project.findUnique({
    where: { id: projectId },
    select: { id: true, name: true, ownerId: true, members: { where: { userId: user.id } } },
  })
  const role = project && roleOf(user, project.members)
  if (!project || role === null) return null
  return { id: project.id, name: project.name, ownerId: project.ownerId, role }
}

const membersOf = (user: User) => ({ members: { some: { userId: user.id } } })

/** Returns the projects that the user may see, oldest first. An operator sees all projects. */
export const listProjectsOf = (core: Core, user: User): Promise<ProjectOfUser[]> =>
  findProjects(core, user, user.isOperator ? {} : membersOf(user))

/** Returns the projects that the user is a member of, oldest first. */
export const listMemberships = (core: Core, user: User): Promise<ProjectOfUser[]> =>
  findProjects(core, user, membersOf(user))

async function findProjects(
  core: Core,
  user: User,
  where: Prisma.ProjectWhereInput,
): Promise<ProjectOfUser[]> {
  const projects = await core.db.project.findMany({
    where,
    select: { id: true, name: true, ownerId: true, members: { where: { userId: user.id } } },
    orderBy: { createdAt: 'asc' },
    take: 500,
  })
  return projects.flatMap(({ members, ...project }) => {
    const role = roleOf(user, members)
    return role === null ? [] : [{ ...project, role }]
  })
}

/** Creates a project without credit, and makes the user its owner. */
export const addProject = (core: Core, actor: Actor, name: string) =>
  asUser(core, actor, 'project.create', async (work) => {
    const { tx, now } = work
    await tx.$queryRaw`select 1 from users where id = ${actor.user.id} for update`
    const owned = await tx.member.count({ where: { userId: actor.user.id, role: 'owner' } })
    if (owned >= maxOwned)
      throw new ApiError('invalid_request', {
        message: `You own ${owned} projects, which is the limit.`,
        next: 'Ask an operator for another project.',
        details: { limit: maxOwned },
      })
    const change = await createProject(work, { name })
    const projectId = change.result.id
    await tx.member.create({ data: { projectId, userId: actor.user.id, role: 'owner', createdAt: now } })
    return change
  })

interface MemberView {
  user_id: string
  name: string
  email: string
  role: Role
  since: string
}

export async function listMembers(core: Core, projectId: string): Promise<MemberView[]> {
  const members = await core.db.member.findMany({
    where: { projectId },
    include: { user: true },
    orderBy: { createdAt: 'asc' },
  })
  return members.map(({ user, role, createdAt }) => ({
    user_id: user.id,
    name: user.name,
    email: user.email,
    role: role as Role,
    since: createdAt.toISOString(),
  }))
}

/**
 * Serialises changes of a project's members and invitations, and checks again that the actor is an owner: another owner
 * may have removed the actor's role since the request was admitted. @throws ApiError not_found, insufficient_scope
 */
export async function lockAsOwner({ tx }: Work, { user }: Actor, projectId: string): Promise<void> {
  await tx.$queryRaw`select 1 from projects where id = ${projectId} for update`
  const found = await tx.user.findUnique({
    where: { id: user.id },
    select: { isOperator: true, members: { where: { projectId } } },
  })
  const role = found && roleOf(found, found.members)
  if (role === null) throw noProject()
  if (!atLeast(role, 'owner')) throw lacksRole('owner')
}

/** The caller has locked the project. @throws ApiError not_found */
async function memberOf({ tx }: Work, projectId: string, userId: string) {
  const member = await tx.member.findUnique({ where: { projectId_userId: { projectId, userId } } })
  if (!member)
    throw new ApiError('not_found', { message: 'This person is not a member of the project.', next: null })
  return member
}

/** A former owner could otherwise return with a link that they created earlier. */
const endInvitationsBy = ({ tx }: Work, projectId: string, userId: string) =>
  tx.invitation.deleteMany({ where: { projectId, createdBy: userId, acceptedAt: null } })

/** @throws ApiError invalid_request */
async function keepAnOwner({ tx }: Work, projectId: string, userId: string): Promise<void> {
  const others = await tx.member.count({ where: { projectId, role: 'owner', userId: { not: userId } } })
  if (others > 0) return
  throw new ApiError('invalid_request', {
    message: 'The project needs an owner.',
    next: 'Make another member an owner first.',
  })
}

export const changeRole = (core: Core, actor: Actor, projectId: string, userId: string, role: Role) =>
  asUser(core, actor, 'member.change', async (work): Promise<Change<{ user_id: string; role: Role }>> => {
    await lockAsOwner(work, actor, projectId)
    const before = await memberOf(work, projectId, userId)
    if (before.role === 'owner' && role !== 'owner') {
      await keepAnOwner(work, projectId, userId)
      await endInvitationsBy(work, projectId, userId)
    }
    await work.tx.member.update({ where: { projectId_userId: { projectId, userId } }, data: { role } })
    const facts = (each: string) => ({ project: projectId, user: userId, role: each })
    return {
      result: { user_id: userId, role },
      target: projectId,
      before: facts(before.role),
      after: facts(role),
    }
  })

export const removeMember = (core: Core, actor: Actor, projectId: string, userId: string) =>
  asUser(core, actor, 'member.remove', async (work): Promise<Change<{ user_id: string }>> => {
    await lockAsOwner(work, actor, projectId)
    const { role } = await memberOf(work, projectId, userId)
    if (role === 'owner') await keepAnOwner(work, projectId, userId)
    await endInvitationsBy(work, projectId, userId)
    await work.tx.member.delete({ where: { projectId_userId: { projectId, userId } } })
    const before = { project: projectId, user: userId, role }
    return { result: { user_id: userId }, target: projectId, before, after: null }
  })
