/** Lists the activity of a project, newest first, for operators and for the console with its filters. */
import { type Core } from '../../base/core/core.js'
import { Prisma } from '../../gen/prisma/client.js'

export interface ActivityFilter {
  /** The ID of a key, or of a user of the console. Omitted: all. */
  by?: string
  phoneId?: string
  /** Only requests that were refused or failed. Omitted: false. */
  isRefused?: boolean
}

interface ActivityQuery {
  projectId: string
  filter?: ActivityFilter
  limit: number
  /** The previous page's `next_before`; null for the newest entries. */
  before: string | null
}

interface Row {
  id: bigint
  at: Date
  key_id: string
  request_id: string
  method: string
  route: string
  phone_id: string | null
  status: number
  code: string | null
  ms: number
  summary: Record<string, unknown>
}

/**
 * The condition of a query. Each filter has an index that begins with the project, so entries of other
 * projects cannot slow the query down.
 */
export function matching({
  projectId,
  filter = {},
}: Pick<ActivityQuery, 'projectId' | 'filter'>): Prisma.Sql {
  const { by, phoneId, isRefused = false } = filter
  const conditions = [
    Prisma.sql`project_id = ${projectId}`,
    ...(by === undefined ? [] : [Prisma.sql`key_id = ${by}`]),
    ...(phoneId === undefined ? [] : [Prisma.sql`phone_id = ${phoneId}`]),
    // The status must be a constant, as in the condition of the partial index.
    ...(isRefused ? [Prisma.sql`status >= 400`] : []),
  ]
  return Prisma.join(conditions, ' and ')
}

/** @throws ApiError validation_failed for a cursor of another list */
export async function listActivity(core: Core, query: ActivityQuery) {
  const { projectId, limit, before } = query
  const scope = { projectId, list: 'activity', parameter: 'before' }
  const after = core.cursors.decode(scope, before)
  const older = after ? Prisma.sql`and id < ${BigInt(after.id)}` : Prisma.empty
  const rows = await core.db.$queryRaw<Row[]>`
    select id, at, key_id, request_id, method, route, phone_id, status, code, ms, summary
    from activity where ${matching(query)} ${older} order by id desc limit ${limit + 1}::int`
  const { data, nextCursor } = core.cursors.toPage(
    scope,
    rows,
    limit,
    (row) => ({ at: row.at, id: row.id.toString() }),
    (row) => ({ ...row, id: row.id.toString(), at: row.at.toISOString() }),
  )
  return { data, next_before: nextCursor }
}
