/** Reads the numbers that admission and the account need. */
import { Prisma } from '../gen/prisma/client.js'
import { type Reader, type Tx } from '../db/database.js'
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
  frozenAt: Date | null
}

/**
 * Locks the owner, then the project, so that no other request of the owner is admitted at the same
 * time.
 */
export async function lockOwnerAndProject(tx: Tx, projectId: string): Promise<ProjectRecord> {
  await tx.$queryRaw`select 1 from owners where id = (select owner_id from projects where id = ${projectId}) for update`
  await tx.$queryRaw`select 1 from projects where id = ${projectId} for update`
  return tx.project.findUniqueOrThrow({ where: { id: projectId } })
}

export interface Usage {
  ownerRunning: number
  projectPhones: number
  spentThisMonthMicros: bigint
}

export async function readUsage(db: Reader, project: ProjectRecord, now: Date): Promise<Usage> {
  const rows = await db.$queryRaw<{ running: bigint; phones: bigint; spent: bigint }[]>`select
    (select count(*) from phones p join projects j on j.id = p.project_id
      where j.owner_id = ${project.ownerId} and p.status in ('creating', 'starting', 'ready')) as running,
    (select count(*) from phones where project_id = ${project.id} and status not in ('failed', 'deleted')) as phones,
    (select coalesce(sum(spent_micros), 0)::bigint from project_months
      where project_id = ${project.id} and month >= ${monthStart(now).toISOString().slice(0, 10)}::date) as spent`
  const row = rows[0]
  if (!row) throw new Error('an aggregate query returned no row')
  return {
    ownerRunning: Number(row.running),
    projectPhones: Number(row.phones),
    spentThisMonthMicros: row.spent,
  }
}

/** Counts the phones that a key may use: running ones, and those that count toward the limit. */
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

/** Reads the pause switch under a lock, so that a pause and this transaction wait for each other. */
export async function isPaused(tx: Tx): Promise<boolean> {
  const rows = await tx.$queryRaw<
    { paused_at: Date | null }[]
  >`select paused_at from service_state where id = 1 for share`
  return rows[0]?.paused_at != null
}
