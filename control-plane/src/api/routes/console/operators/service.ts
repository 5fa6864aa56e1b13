/** Projects, the audit log, the open links of operators, the pause of the service, and the state of its parts. */
import { type FastifyInstance } from 'fastify'
import { type Health } from '../../../http/service-paths.js'
import { listAudit } from '../../../../base/audit/audit.js'
import { setPaused } from '../../../../fleet/operator/hosts.js'
import { changeProject, projectChangeSchema } from '../../../../fleet/operator/projects.js'
import { readSystem } from '../../../../fleet/operator/system.js'
import { projectView } from '../../../../fleet/operator/views.js'
import { listOperatorInvitations, withdrawOperatorInvitation } from '../../../../people/users/invitations.js'
import { readPage, refSchema } from '../../../../base/validation/fields.js'
import { type GateDeps } from '../gate.js'
import { changeFor } from './change.js'
import { systemAnswer } from '../answers.js'
import { auditAnswer, operatorLinkAnswer, projectAnswer } from '../../operator/answers.js'
import { listOf, pageBefore } from '../../shape.js'
import { route } from '../route.js'

export interface ServiceDeps extends GateDeps {
  /** The state of this replica's dependencies. */
  health: () => Promise<Health>
  /** `place`: the folder or bucket; null if the service stores no files. */
  storage: { kind: 'fs' | 's3' | 'off'; place: string | null }
  /** The release of this replica. */
  version: string
  replicaId: string
}

const changeBody = projectChangeSchema.pick({
  credit_usd: true,
  spend_limit_usd: true,
  max_phones: true,
  max_running: true,
  frozen: true,
})

export function addOperatorService(app: FastifyInstance, deps: ServiceDeps): void {
  const { core, health, storage, version, replicaId } = deps
  route(app, 'GET /operator/projects', { answer: listOf(projectAnswer) }, async () => ({
    data: (await core.db.project.findMany({ orderBy: { createdAt: 'asc' } })).map(projectView),
  }))
  route(app, 'PATCH /operator/projects/:project', { body: changeBody }, (request) => {
    const change = request.body
    return changeFor(core, request, 'project.change', (work) =>
      changeProject(work, request.params.project, change),
    )
  })
  route(
    app,
    'GET /operator/audit',
    { query: ['before', 'target'], answer: pageBefore(auditAnswer) },
    ({ query }) => {
      const target = refSchema.safeParse(query.target).data
      return listAudit(core, {
        ...readPage({ before: query.before }),
        ...(target === undefined ? {} : { target }),
      })
    },
  )

  route(app, 'GET /operator/invitations', { answer: listOf(operatorLinkAnswer) }, async () => ({
    data: await listOperatorInvitations(core),
  }))
  route(app, 'DELETE /operator/invitations/:invitation', {}, (request) =>
    changeFor(core, request, 'invitation.withdraw', (work) =>
      withdrawOperatorInvitation(work, request.params.invitation),
    ),
  )

  route(app, 'GET /operator/system', { answer: systemAnswer }, async () => {
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
  route(app, 'POST /operator/service/pause', {}, (request) =>
    changeFor(core, request, 'service.pause', (work) => setPaused(work, true)),
  )
  route(app, 'POST /operator/service/resume', {}, (request) =>
    changeFor(core, request, 'service.resume', (work) => setPaused(work, false)),
  )
}
