/** The activity list for operators, newest first. */
import { type Core } from '../core/core.js'

export interface ActivityQuery {
  projectId: string
  limit: number
  /** The previous page's `next_before`; null for the newest entries. */
  before: string | null
}

export async function listActivity(core: Core, { projectId, limit, before }: ActivityQuery) {
  const scope = { projectId, list: 'activity', parameter: 'before' }
  const after = core.cursors.decode(scope, before)
  const rows = await core.db.activity.findMany({
    where: { projectId, ...(after ? { id: { lt: BigInt(after.id) } } : {}) },
    orderBy: { id: 'desc' },
    take: limit + 1,
  })
  const { data, nextCursor } = core.cursors.toPage(
    scope,
    rows,
    limit,
    (row) => ({ at: row.at, id: row.id.toString() }),
    (row) => ({
      id: row.id.toString(),
      at: row.at.toISOString(),
      key_id: row.keyId,
      request_id: row.requestId,
      method: row.method,
      route: row.route,
      phone_id: row.phoneId,
      status: row.status,
      code: row.code,
      ms: row.ms,
      summary: row.summary,
    }),
  )
  return { data, next_before: nextCursor }
}
