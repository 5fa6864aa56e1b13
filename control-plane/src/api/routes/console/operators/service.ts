/** Projects, the audit log, the open links of operators, the pause of the service, and the state of its parts. */
import { type FastifyInstance } from 'fastify'
import { type Health } from '../../../http/service-paths.js'
import { parseBody } from '../../../http/parse-body.js'
import { listAudit } from '../../../../base/audit/audit.js'
import { setPaused } from '../../../../fleet/operator/hosts.js'
import { changeProject, projectChangeSchema } from '../../../../fleet/operator/projects.js'
import { readSystem } from '../../../../fleet/operator/system.js'
import { projectView } from '../../../../fleet/operator/views.js'
import { listOperatorInvitations, withdrawOperatorInvitation } from '../../../../people/users/invitations.js'
import { readPage, refSchema } from '../../../../base/validation/fields.js'
import { type GateDeps } from '../gate.js'
import { changeFor, operatorPath } from './change.js'

export interface ServiceDeps extends GateDeps {
  /** The state of this replica's dependencies. */
  health: () => Promise<Health>
  /** `place`: the folder or bucket; null: files are not stored. */
  storage: { kind: 'fs' | 's3' | 'off'; place: string | null }
  /** The release of this replica. */
  version: string
  replicaId: string
}

type OfProject = { Params: { project: string } }
type Paged = { Querystring: { before?: unknown; target?: unknown } }

const changeBody = projectChangeSchema.pick({
  credit_usd: true,
  spend_limit_usd: true,
  max_phones: true,
  max_running: true,
  frozen: true,
})

export function addOperatorService(app: FastifyInstance, deps: ServiceDeps): void {
  const { core, health, storage, version, replicaId } = deps
  app.get(`${operatorPath}/projects`, async () => ({
    data: (await core.db.project.findMany({ orderBy: { createdAt: 'asc' } })).map(projectView),
  }))
  app.patch<OfProject>(`${operatorPath}/projects/:project`, (request) => {
    const change = parseBody(changeBody, request)
    return changeFor(core, request, 'project.change', (work) =>
      changeProject(work, request.params.project, change),
    )
  })
  app.get<Paged>(`${operatorPath}/audit`, ({ query }) => {
    const target = refSchema.safeParse(query.target).data
    return listAudit(core, {
      ...readPage({ before: query.before }),
      ...(target === undefined ? {} : { target }),
    })
  })

  app.get(`${operatorPath}/invitations`, async () => ({ data: await listOperatorInvitations(core) }))
  app.delete<{ Params: { invitation: string } }>(`${operatorPath}/invitations/:invitation`, (request) =>
    changeFor(core, request, 'invitation.withdraw', (work) =>
      withdrawOperatorInvitation(work, request.params.invitation),
    ),
  )

  app.get(`${operatorPath}/system`, async () => {
    const { nats, clock } = await health()
    return {
      ...(await readSystem(core)),
      nats: { is_connected: nats?.ok ?? false },
      clock_ahead_ms: clock?.skew_ms ?? null,
      storage,
      version,
      replica_id: replicaId,
    }
  })
  app.post(`${operatorPath}/service/pause`, (request) =>
    changeFor(core, request, 'service.pause', (work) => setPaused(work, true)),
  )
  app.post(`${operatorPath}/service/resume`, (request) =>
    changeFor(core, request, 'service.resume', (work) => setPaused(work, false)),
  )
}
