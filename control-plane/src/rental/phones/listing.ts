/** Lists phones and a phone's sessions, newest first. */
import { Prisma } from '../../gen/prisma/client.js'
import { permitted } from './access.js'
import { type Core } from '../../base/core/core.js'
import { findPhone, selectPhones, viewOf } from './records.js'
import { type Caller, type Page, type PageQuery } from '../../base/core/caller.js'
import { type EndReason } from '../../base/core/statuses.js'
import { type PhoneService, type PhoneView, type SessionView } from './types.js'

type PhonesQuery = Parameters<PhoneService['list']>[1]

export async function listPhones(core: Core, caller: Caller, query: PhonesQuery): Promise<Page<PhoneView>> {
  const status = query.status
    ? Prisma.sql`and p.status = ${query.status}`
    : Prisma.sql`and p.status not in ('failed', 'deleted')`
  const metadata = query.metadata
    ? Prisma.sql`and p.metadata @> ${JSON.stringify({ [query.metadata.key]: query.metadata.value })}::jsonb`
    : Prisma.empty
  const key = query.keyId === undefined ? Prisma.empty : Prisma.sql`and p.key_id = ${query.keyId}`
  const search =
    query.search === undefined
      ? Prisma.empty
      : Prisma.sql`and (position(lower(${query.search}) in lower(p.name)) > 0 or p.id = ${query.search})`
  const filter = Prisma.sql`where p.project_id = ${caller.projectId} ${status} ${metadata} ${key} ${search}`
  const order = Prisma.sql`order by p.created_at desc, p.id desc`
  if (caller.phoneIds !== null) {
    const rows = await selectPhones(
      core.db,
      Prisma.sql`${filter} and p.id = any(${[...caller.phoneIds]}) ${order}`,
    )
    return { data: rows.map(viewOf), nextCursor: null }
  }
  const scope = { projectId: caller.projectId, list: 'phones' }
  const after = core.cursors.decode(scope, query.cursor)
  const from = after ? Prisma.sql`and (p.created_at, p.id) < (${after.at}, ${after.id})` : Prisma.empty
  const rows = await selectPhones(core.db, Prisma.sql`${filter} ${from} ${order} limit ${query.limit + 1}`)
  return core.cursors.toPage(scope, rows, query.limit, (row) => ({ at: row.createdAt, id: row.id }), viewOf)
}

export async function listSessions(
  core: Core,
  caller: Caller,
  phoneId: string,
  query: PageQuery,
): Promise<Page<SessionView>> {
  permitted(caller, phoneId, await findPhone(core.db, phoneId))
  const scope = { projectId: caller.projectId, list: phoneId }
  const after = core.cursors.decode(scope, query.cursor)
  const rows = await core.db.session.findMany({
    where: {
      phoneId,
      ...(after
        ? { OR: [{ startedAt: { lt: after.at } }, { startedAt: after.at, id: { lt: after.id } }] }
        : {}),
    },
    orderBy: [{ startedAt: 'desc' }, { id: 'desc' }],
    take: query.limit + 1,
  })
  return core.cursors.toPage(
    scope,
    rows,
    query.limit,
    (row) => ({ at: row.startedAt, id: row.id }),
    (row) => ({
      id: row.id,
      startedAt: row.startedAt,
      readyAt: row.readyAt,
      endedAt: row.endedAt,
      // The table's check constraint allows no other value.
      endReason: row.endReason as EndReason | null,
      billedSeconds: row.billedSeconds,
      costMicros: row.costMicros,
      reservedMicros: row.reservedMicros,
    }),
  )
}
