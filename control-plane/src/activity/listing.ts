/** Activity as the operator reads it, newest first. */
import { type Core } from '../phones/core.js'

export interface ActivityQuery {
  projectId: string
  limit: number
  /** Only what is older than the entry of this number. */
  before: bigint | null
}

export async function listActivity(core: Core, { projectId, limit, before }: ActivityQuery) {
  const rows = await core.db.activity.findMany({
    where: { projectId, ...(before === null ? {} : { id: { lt: before } }) },
    orderBy: { id: 'desc' },
    take: limit + 1,
  })
  const data = rows.slice(0, limit).map((row) => ({
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
  }))
  return { data, next_before: rows.length > limit ? (data.at(-1)?.id ?? null) : null }
}
