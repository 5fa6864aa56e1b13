/**
 * Deletes expired steps, and the oldest steps of a project above its quota. Every replica calls it; one
 * replica works at a time. docs/decisions/0280
 */
import { limits } from '@phonerack/shared'
import { type Core } from '../../base/core/core.js'
import { inTransaction, type Tx } from '../../base/db/database.js'
import { inBatches } from '../../base/db/in-batches.js'
import { Prisma } from '../../gen/prisma/client.js'
import { addJobForEach } from '../../base/queue/queue.js'

/** Rows per statement. */
const batch = 500
/** Milliseconds for which a screen is kept for a step that may begin with it. */
const unusedLifeMs = 3600_000
/**
 * Milliseconds for which a project counts as active after the start of a step. This is longer than a batch
 * and the writes of its step.
 */
const activeMs = 15 * 60_000
/** Milliseconds for the batches of one transaction, which ends after 20 s. */
const spellMs = 5000
/** Milliseconds after which a step without an outcome has ended. */
const longestMs = limits.actions.total + 10_000

/**
 * @param which the projects whose bytes are counted: all projects, or projects with a recent step, which
 * costs much less
 */
export async function expireSteps(core: Core, which: 'all' | 'active' = 'all'): Promise<void> {
  await dropExpired(core)
  const full = await alone(core, (tx) => projectsAboveQuota(tx, core.clock.now(), which))
  for (const id of full ?? []) {
    try {
      // Each transaction counts the bytes again, since another replica may work between two transactions.
      while (await alone(core, (tx) => trim(tx, id, core.clock.now())));
    } catch (error) {
      core.log.warn({ err: error, project: id }, 'could not drop the oldest steps of a project')
    }
  }
}

/** Works in a transaction. Returns null when another replica works. */
const alone = <T>(core: Core, work: (tx: Tx) => Promise<T>): Promise<T | null> =>
  inTransaction(core.db, async (tx) => {
    const [lock] = await tx.$queryRaw<{ held: boolean }[]>`
      select pg_try_advisory_xact_lock(hashtextextended('retention of steps', 0)) as held`
    return lock?.held === true ? work(tx) : null
  })

async function dropExpired(core: Core): Promise<void> {
  const now = core.clock.now().getTime()
  const expiredAt = new Date(now - core.rules.recordings.lifeMs)
  const unusedSince = new Date(now - unusedLifeMs)
  const steps = Prisma.sql`select id from steps where started_at < ${expiredAt} order by started_at limit ${batch}`
  const all = (deleteSome: (tx: Tx) => Promise<unknown[]>) =>
    inBatches({ rows: batch }, async () => (await alone(core, deleteSome))?.length ?? 0)
  await all((tx) => deleteSteps(tx, steps))
  for (const screens of [
    Prisma.sql`at < ${expiredAt} order by at`,
    Prisma.sql`not is_used and at < ${unusedSince}`,
  ])
    await all((tx) => deleteScreens(tx, screens))
}

interface Deleted {
  bytes: bigint
  /** When the step ended, or began if the end is unknown. */
  at: Date
  pictureId: string | null
}

/** @param which a select of IDs. @returns the deleted rows */
async function deleteSteps(tx: Tx, which: Prisma.Sql): Promise<Deleted[]> {
  const gone = await tx.$queryRaw<Deleted[]>`delete from steps where id in (${which})
    returning bytes, coalesce(ended_at, started_at) as at, picture_id as "pictureId"`
  const pictures = gone.map(({ pictureId }) => pictureId).filter((id) => id !== null)
  if (pictures.length > 0) await addJobForEach(tx, 'file.delete', 'storageId', pictures)
  return gone
}

/** Deletes up to a batch. @param which a condition on `step_screens`, and perhaps an order. @returns the deleted rows */
const deleteScreens = (tx: Tx, which: Prisma.Sql): Promise<Pick<Deleted, 'bytes'>[]> =>
  tx.$queryRaw`delete from step_screens c
    using (select phone_id, id from step_screens where ${which} limit ${batch}) old
    where c.phone_id = old.phone_id and c.id = old.id returning c.bytes`

/** The projects' bytes above their quotas. */
const excess = Prisma.sql`(select coalesce(sum(bytes), 0) from steps where project_id = j.id)
  + (select coalesce(sum(bytes), 0) from step_screens where project_id = j.id) - j.steps_max_bytes`

async function projectsAboveQuota(tx: Tx, now: Date, which: 'all' | 'active'): Promise<string[]> {
  const activeSince = new Date(now.getTime() - activeMs)
  const active =
    which === 'all'
      ? Prisma.empty
      : Prisma.sql`where exists (select 1 from steps r where r.project_id = j.id and r.started_at > ${activeSince})`
  const rows = await tx.$queryRaw<{ id: string }[]>`with counted as materialized (
      select j.id, ${excess} as excess from projects j ${active})
    select id from counted where excess > 0 order by excess`
  return rows.map(({ id }) => id)
}

/** Deletes a project's oldest steps for `spellMs`. Returns true when more steps must be deleted. */
async function trim(tx: Tx, projectId: string, now: Date): Promise<boolean> {
  const [found] = await tx.$queryRaw<
    { excess: bigint }[]
  >`select (${excess})::bigint as excess from projects j
    where j.id = ${projectId}`
  let left = found?.excess ?? 0n
  const began = performance.now()
  while (left > 0n) {
    const steps = await deleteSteps(tx, oldestSteps(projectId, left, now))
    left -= sumOf(steps)
    // The screen after the last deleted step is the screen before the next step.
    const upTo = steps.length === 0 ? now : new Date(Math.max(...steps.map(({ at }) => at.getTime())))
    let screens: Pick<Deleted, 'bytes'>[]
    do {
      screens = await deleteScreens(tx, unnamedScreens(projectId, upTo))
      left -= sumOf(screens)
      if (performance.now() - began > spellMs) return left > 0n
    } while (screens.length === batch && left > 0n)
    // The remaining bytes belong to running steps.
    if (steps.length === 0) return false
  }
  return false
}

const sumOf = (rows: readonly Pick<Deleted, 'bytes'>[]): bigint =>
  rows.reduce((sum, { bytes }) => sum + bytes, 0n)

/**
 * Selects the oldest ended steps until their bytes, with the bytes of the screens after them, reach `bytes`.
 */
const oldestSteps = (projectId: string, bytes: bigint, now: Date): Prisma.Sql =>
  Prisma.sql`select id from (
      select s.id, sum(s.bytes + coalesce(c.bytes, 0)) over (order by s.started_at, s.id)
        - s.bytes - coalesce(c.bytes, 0) as earlier
      from (
        select id, phone_id, after_id, started_at, bytes from steps where project_id = ${projectId}
          and (status <> 'running' or started_at < ${new Date(now.getTime() - longestMs)})
        order by started_at, id limit ${batch}) s
      left join step_screens c on c.phone_id = s.phone_id and c.id = s.after_id) oldest
    where earlier < ${bytes}`

/** Selects screens that no step begins or ends with, oldest first. */
const unnamedScreens = (projectId: string, upTo: Date): Prisma.Sql =>
  Prisma.sql`project_id = ${projectId} and at <= ${upTo}
    and not exists (select 1 from steps s where s.phone_id = step_screens.phone_id and s.before_id = step_screens.id)
    and not exists (select 1 from steps s where s.phone_id = step_screens.phone_id and s.after_id = step_screens.id)
    order by at`
