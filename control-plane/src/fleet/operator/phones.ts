/** Operators list the phones of all projects, and delete phones that their projects do not delete. */
import { ApiError } from '@phonerack/shared'
import { z } from 'zod'
import { type Core } from '../../base/core/core.js'
import { type PhoneStatus } from '../../base/core/statuses.js'
import { type Facts } from '../../base/db/audit-log.js'
import { type Reader } from '../../base/db/database.js'
import { Prisma } from '../../gen/prisma/client.js'
import { endRun } from '../../rental/phones/end.js'
import { lockPhone } from '../../rental/phones/records.js'
import { noteSchema } from '../../base/validation/fields.js'
import { type Change, type Work } from '../../base/audit/work.js'

/** `reason`: for the audit log and the project, which gets it in the failure of the phone. */
export const phoneDeletionSchema = z.strictObject({ reason: noteSchema })

interface Row {
  id: string
  name: string
  project_id: string
  project_name: string
  status: PhoneStatus
  on_idle: string
  country: string | null
  created_at: Date
  last_active_at: Date | null
  stopped_at: Date | null
  deletes_at: Date | null
  device_id: string | null
  serial: string | null
  host_id: string | null
  host_name: string | null
  failure_code: string | null
  failure_message: string | null
}

const selection = Prisma.sql`select p.id, p.name, p.project_id, j.name as project_name, p.status, p.on_idle, p.country,
    p.created_at, p.last_active_at, phone_stopped_at(p.id) as stopped_at, p.deletes_at, d.id as device_id, d.serial,
    h.id as host_id, h.name as host_name, p.failure_code, p.failure_message
  from phones p join projects j on j.id = p.project_id left join devices d on d.phone_id = p.id
    left join hosts h on h.id = d.host_id`

const iso = (at: Date | null): string | null => at?.toISOString() ?? null

const viewOf = (row: Row) => ({
  ...row,
  created_at: row.created_at.toISOString(),
  last_active_at: iso(row.last_active_at),
  /** The end of the phone's last session; null while the phone runs. */
  stopped_at: iso(row.stopped_at),
  /** When the service deletes the phone, unless the phone is started before; null: no time is set. */
  deletes_at: iso(row.deletes_at),
})
export type OperatorPhone = ReturnType<typeof viewOf>

interface PhonesPage {
  projectId: string | null
  /** Null: all statuses except failed and deleted. */
  status: PhoneStatus | null
  /** Only phones whose last session ended before this time; null: all phones. */
  stoppedBefore: Date | null
  limit: number
  /** The previous page's `next_before`; null for the newest phones. */
  before: string | null
}

const scope = { projectId: '', list: 'operator phones', parameter: 'before' }

/** Newest first. */
export async function listAllPhones(core: Core, page: PhonesPage) {
  const after = core.cursors.decode(scope, page.before)
  const conditions = [
    page.status === null
      ? Prisma.sql`p.status not in ('failed', 'deleted')`
      : Prisma.sql`p.status = ${page.status}`,
    ...(page.projectId === null ? [] : [Prisma.sql`p.project_id = ${page.projectId}`]),
    ...(page.stoppedBefore === null ? [] : [Prisma.sql`phone_stopped_at(p.id) < ${page.stoppedBefore}`]),
    ...(after === null ? [] : [Prisma.sql`(p.created_at, p.id) < (${after.at}, ${after.id})`]),
  ]
  const rows = await core.db.$queryRaw<Row[]>`${selection} where ${Prisma.join(conditions, ' and ')}
    order by p.created_at desc, p.id desc limit ${page.limit + 1}`
  const positionOf = ({ created_at: at, id }: Row) => ({ at, id })
  const { data, nextCursor } = core.cursors.toPage(scope, rows, page.limit, positionOf, viewOf)
  return { data, next_before: nextCursor }
}

/** @throws ApiError not_found */
export async function findAnyPhone(db: Reader, id: string): Promise<OperatorPhone> {
  const [row] = await db.$queryRaw<Row[]>`${selection} where p.id = ${id}`
  if (!row) throw new ApiError('not_found', { message: 'There is no such phone.', details: { phone: id } })
  return viewOf(row)
}

/**
 * Deletes a phone with its data, as when its client deletes it: an open session is charged, and the device is
 * wiped. The project gets the reason in the event `phone.deleted` and in the failure of the phone. A repeated
 * call changes nothing.
 * @throws ApiError not_found
 */
export async function deleteAnyPhone(
  { core, tx, now, afterCommit }: Work,
  id: string,
  { reason }: z.output<typeof phoneDeletionSchema>,
): Promise<Change<OperatorPhone>> {
  const phone = await lockPhone(tx, id, 'project and phone')
  const before = await findAnyPhone(tx, id)
  const failure = { code: 'phone_deleted', message: `The operator deleted the phone: ${reason}` } as const
  if (phone && (await endRun(tx, core.rules, phone, 'delete', { at: now, now, failure })))
    afterCommit(() => core.changes.publish(id))
  const after = await findAnyPhone(tx, id)
  return { result: after, target: id, before: factsOf(before), after: { ...factsOf(after), reason } }
}

const factsOf = ({ name, project_id, status, device_id, stopped_at }: OperatorPhone): NonNullable<Facts> => ({
  name,
  project_id,
  status,
  device_id,
  stopped_at,
})
