/** Reads the figures for admission and for the account. */
import { Prisma } from '../../gen/prisma/client.js'
import { type Reader } from '../../base/db/database.js'
import { type RawTx } from '../../base/db/raw-transaction.js'
import { type Counts } from './admission.js'
import { monthStart } from './calendar.js'

export interface ProjectRecord {
  id: string
  ownerId: string
  name: string
  balanceMicros: bigint
  reservedMicros: bigint
  spendLimitMicros: bigint
  maxPhones: number
  maxRunning: number
  parkedLimit: number | null
  frozenAt: Date | null
}

/**
 * Locks the owner, then the project, so that no other request of the owner is admitted at the same time. The
 * project's row is read with its lock, so the row includes a change that the statement waited for.
 */
export async function lockOwnerAndProject(tx: RawTx, projectId: string): Promise<ProjectRecord> {
  // The `with` locks the owner first, since the statement locks the project only for a row of the join.
  const [project] = await tx.$queryRaw<ProjectRecord[]>`with owner as materialized (
      select id from owners where id = (select owner_id from projects where id = ${projectId}) for update)
    select j.id, j.owner_id as "ownerId", j.name, j.balance_micros as "balanceMicros",
      j.reserved_micros as "reservedMicros", j.spend_limit_micros as "spendLimitMicros", j.max_phones as "maxPhones",
      j.max_running as "maxRunning", j.parked_limit as "parkedLimit", j.frozen_at as "frozenAt"
    from owner join projects j on j.owner_id = owner.id where j.id = ${projectId} for update of j`
  if (!project) throw new Error(`project ${projectId} does not exist`)
  return project
}

export interface Usage {
  ownerRunning: number
  projectPhones: number
  projectParked: number
  spentThisMonthMicros: bigint
}

interface UsageRow {
  running: bigint
  phones: bigint
  parked: bigint
  spent: bigint
}

const usageColumns = (project: Pick<ProjectRecord, 'id' | 'ownerId'>, now: Date): Prisma.Sql => Prisma.sql`
    (select count(*) from phones p join projects j on j.id = p.project_id
      where j.owner_id = ${project.ownerId} and p.status in ('creating', 'starting', 'ready')) as running,
    (select count(*) from phones where project_id = ${project.id} and status not in ('failed', 'deleted')) as phones,
    (select count(*) from phones where project_id = ${project.id} and status in ('parking', 'parked', 'unavailable')) as parked,
    (select coalesce(sum(spent_micros), 0)::bigint from project_months
      where project_id = ${project.id} and month >= ${monthStart(now).toISOString().slice(0, 10)}::date) as spent`

const toUsage = (row: UsageRow): Usage => ({
  ownerRunning: Number(row.running),
  projectPhones: Number(row.phones),
  projectParked: Number(row.parked),
  spentThisMonthMicros: row.spent,
})

export const countsOf = (project: ProjectRecord, usage: Usage): Counts => ({
  running: usage.ownerRunning,
  maxRunning: project.maxRunning,
  phones: usage.projectPhones,
  maxPhones: project.maxPhones,
  parked: usage.projectParked,
  parkedLimit: project.parkedLimit,
})

export async function readUsage(db: Reader, project: ProjectRecord, now: Date): Promise<Usage> {
  const [row] = await db.$queryRaw<UsageRow[]>`select ${usageColumns(project, now)}`
  if (!row) throw new Error('an aggregate query returned no row')
  return toUsage(row)
}

/**
 * Reads the usage, and the pause switch under a lock, so that a pause and this transaction wait for each other. The caller
 * holds the locks of owner and project.
 */
export async function readUsageAndPause(
  tx: RawTx,
  project: ProjectRecord,
  now: Date,
): Promise<Usage & { isPaused: boolean }> {
  const [row] = await tx.$queryRaw<
    (UsageRow & { paused_at: Date | null })[]
  >`select paused_at, ${usageColumns(project, now)}
    from (select paused_at from service_state where id = 1 for share) service`
  if (!row) throw new Error('the service has no state')
  return { ...toUsage(row), isPaused: row.paused_at !== null }
}

/** Counts the phones that a key may use: the running phones, and the phones that count toward the limit. */
export async function countPhones(
  db: Reader,
  projectId: string,
  phoneIds: readonly string[] | null,
): Promise<{ running: number; phones: number }> {
  const limited = phoneIds === null ? Prisma.empty : Prisma.sql`and id = any(${[...phoneIds]})`
  const rows = await db.$queryRaw<{ running: bigint; phones: bigint }[]>`select
    count(*) filter (where status in ('creating', 'starting', 'ready')) as running, count(*) as phones
    from phones where project_id = ${projectId} and status not in ('failed', 'deleted') ${limited}`
  return { running: Number(rows[0]?.running ?? 0n), phones: Number(rows[0]?.phones ?? 0n) }
}
