/** The limits of a project, and the usage of each. Operators change the project's own limits. */
import { formatUsd, limits } from '@phonerack/shared'
import { type FastifyInstance } from 'fastify'
import { readUsage } from '../../../rental/billing/account.js'
import { countActiveKeys } from '../../../fleet/operator/keys.js'
import { findProject } from '../../../fleet/operator/projects.js'
import { usedRoom } from '../../../phone-io/recordings/records.js'
import { countToday, usedBytes } from '../../../files/uploads/records.js'
import { projectOf, type GateDeps } from './gate.js'
import { limitsAnswer } from './answers.js'
import { route } from './route.js'

export function addProjectLimits(app: FastifyInstance, { core }: Pick<GateDeps, 'core'>): void {
  route(app, 'GET /projects/:project/limits', { answer: limitsAnswer }, async (request) => {
    const { db, rules } = core
    const now = core.clock.now()
    const project = await findProject(db, projectOf(request).id)
    const { id } = project
    const [usage, room, uploadBytes, uploadsToday, keys, webhooks] = await Promise.all([
      readUsage(db, project, now),
      usedRoom(db, id, now),
      usedBytes(db, id, now),
      countToday(db, id, now),
      countActiveKeys(db, id, now),
      db.webhook.count({ where: { projectId: id, deletedAt: null } }),
    ])
    return {
      // All projects of the owner share this limit.
      running: { used: usage.ownerRunning, limit: project.maxRunning },
      phones: { used: usage.projectPhones, limit: project.maxPhones },
      spent_this_month_usd: {
        used: formatUsd(usage.spentThisMonthMicros),
        limit: formatUsd(project.spendLimitMicros),
      },
      recordings: { used: room.kept, limit: rules.recordings.perProject },
      recording_bytes: { used: room.bytes, limit: rules.recordings.projectBytes },
      upload_bytes: { used: uploadBytes, limit: rules.uploads.projectBytes },
      uploads_today: { used: uploadsToday, limit: rules.uploads.perDay },
      keys: { used: keys, limit: limits.activeKeys },
      webhooks: { used: webhooks, limit: limits.webhooks.perProject },
      // Null: the project records no steps. Otherwise the oldest steps above the limit are deleted.
      steps_max_bytes: project.stepsEnabled ? Number(project.stepsMaxBytes) : null,
    }
  })
}
