/** Lists the phones of all projects of a user, newest first. */
import { type Page, type PageQuery } from '../../base/core/caller.js'
import { type Core } from '../../base/core/core.js'
import { type PhoneStatus } from '../../base/core/statuses.js'
import { Prisma } from '../../gen/prisma/client.js'
import { selectPhones, viewOf } from '../../rental/phones/records.js'
import { type PhoneView } from '../../rental/phones/types.js'
import { type ProjectOfUser } from './members.js'

interface PhonesOfUserQuery extends PageQuery {
  /** Null: all statuses except failed and deleted. */
  status: PhoneStatus | null
  /** Null: all projects of the user. */
  projectId: string | null
}

interface PhoneOfUser {
  phone: PhoneView
  project: ProjectOfUser
}

/** @param projects the user's projects at this moment. A `projectId` outside of them lists no phones */
export async function listPhonesOfUser(
  core: Core,
  userId: string,
  projects: readonly ProjectOfUser[],
  { status, projectId, limit, cursor }: PhonesOfUserQuery,
): Promise<Page<PhoneOfUser>> {
  const chosen = new Map(
    projects.filter(({ id }) => projectId === null || id === projectId).map((each) => [each.id, each]),
  )
  const scope = { projectId: userId, list: 'phones of a user' }
  const after = core.cursors.decode(scope, cursor)
  const found = Prisma.sql`p.project_id = j.id ${
    status ? Prisma.sql`and p.status = ${status}` : Prisma.sql`and p.status not in ('failed', 'deleted')`
  } ${after ? Prisma.sql`and (p.created_at, p.id) < (${after.at}, ${after.id})` : Prisma.empty}`
  const newest = Prisma.sql`order by created_at desc, id desc limit ${limit + 1}`
  // The index finds the newest phones of each project, and the page is chosen from these phones.
  const rows = await selectPhones(
    core.db,
    Prisma.sql`where p.id in (
        select n.id from unnest(${[...chosen.keys()]}::text[]) j(id) cross join lateral (
          select p.id, p.created_at from phones p where ${found} ${newest}) n
        ${newest})
      order by p.created_at desc, p.id desc`,
  )
  const position = ({ createdAt, id }: { createdAt: Date; id: string }) => ({ at: createdAt, id })
  const page = core.cursors.toPage(scope, rows, limit, position, (row) => row)
  const data = page.data.flatMap((row) => {
    const project = chosen.get(row.projectId)
    return project ? [{ phone: viewOf(row), project }] : []
  })
  return { data, nextCursor: page.nextCursor }
}
