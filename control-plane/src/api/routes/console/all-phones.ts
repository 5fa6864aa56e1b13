/**
 * The phones of all projects that the user is a member of. Projects that a user sees only as an operator do not count.
 */
import { limits } from '@phonerack/shared'
import { type FastifyInstance } from 'fastify'
import { listMemberships } from '../../../people/users/members.js'
import { listPhonesOfUser } from '../../../people/users/phones.js'
import { invalidField } from '../../../base/validation/fields.js'
import { statusIn } from '../phone-status.js'
import { phoneJson } from '../views.js'
import { signedInOf, type GateDeps } from './gate.js'
import { allPhonesAnswer } from './answers.js'
import { route } from './route.js'

export function addAllPhones(app: FastifyInstance, { core }: Pick<GateDeps, 'core'>): void {
  route(
    app,
    'GET /phones',
    { query: ['status', 'project', 'cursor'], answer: allPhonesAnswer },
    async (request) => {
      const { user } = signedInOf(request)
      const { status, project, cursor } = request.query
      // A repeated parameter would otherwise list the phones of all projects.
      if (project !== undefined && typeof project !== 'string')
        throw invalidField('project', 'must be given at most once')
      // The memberships are read again for each page, since the user may have been removed from a project in between.
      const projects = await listMemberships(core, user)
      const page = await listPhonesOfUser(core, user.id, projects, {
        status: statusIn(status),
        projectId: project ?? null,
        limit: limits.page.max,
        cursor: typeof cursor === 'string' ? cursor : null,
      })
      return {
        data: page.data.map(({ phone, project: of }) => ({ ...phoneJson(phone), project_id: of.id })),
        next_cursor: page.nextCursor,
        projects: projects.map(({ id, name, role }) => ({ id, name, role })),
      }
    },
  )
}
