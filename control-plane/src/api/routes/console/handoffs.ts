/** The hand-overs in progress of all projects that the user is a member of, and of the project that the page shows. */
import { type FastifyInstance } from 'fastify'
import { findMembership, listMemberships } from '../../../people/users/members.js'
import { atLeast } from '../../../people/users/types.js'
import { invalidField, refSchema } from '../../../base/validation/fields.js'
import { type ProjectDeps } from './caller.js'
import { controlJson } from './control.js'
import { signedInOf } from './gate.js'
import { handoffAnswer } from './answers.js'
import { listOf } from '../shape.js'
import { route } from './route.js'

export function addHandoffs(app: FastifyInstance, { core, services }: ProjectDeps): void {
  route(app, 'GET /handoffs', { query: ['project'], answer: listOf(handoffAnswer) }, async (request) => {
    const { user } = signedInOf(request)
    const parsed = refSchema.optional().safeParse(request.query.project)
    if (!parsed.success) throw invalidField('project', 'must be the ID of a project')
    const { data: shown } = parsed
    const projects = new Map((await listMemberships(core, user)).map((each) => [each.id, each]))
    // An operator sees projects without being a member.
    if (shown !== undefined && !projects.has(shown)) {
      const other = await findMembership(core, user, shown)
      if (other) projects.set(shown, other)
    }
    const found = await services.handoffs.listCurrent([...projects.keys()])
    return {
      data: found.flatMap(({ projectId, phone, createdAt, ...control }) => {
        const project = projects.get(projectId)
        if (!project) return []
        const view = controlJson(control, { user, mayControl: atLeast(project.role, 'member') })
        return [{ ...view, phone, project_id: projectId, created_at: createdAt.toISOString() }]
      }),
    }
  })
}
