/** Deletes expired steps, and the oldest of a project above its quota. Every replica calls it. docs/decisions/0280 */
import { inTransaction, type Tx } from '../db/database.js'
import { type Core } from '../core/core.js'
import { addFileDelete } from '../storage/deletions.js'

/** Rows of a statement. */
const batch = 500
/** Milliseconds that a screen is kept for a step that may begin with it. */
const unusedLifeMs = 3600_000

export async function expireSteps(core: Core): Promise<void> {
  const now = core.clock.now().getTime()
  const expiredAt = new Date(now - core.rules.recordings.lifeMs)
  while ((await inTransaction(core.db, (tx) => deleteSteps(tx, expiredAt))) === batch);
  for (;;) {
    const count = await core.db
      .$executeRaw`delete from step_screens where (phone_id, id) in (select phone_id, id from step_screens
      where at < ${expiredAt} or (not is_used and at < ${new Date(now - unusedLifeMs)})
      order by at limit ${batch})`
    if (count < batch) break
  }
  const full = await core.db.$queryRaw<{ id: string; excess: bigint }[]>`
    select j.id, (coalesce(s.bytes, 0) + coalesce(c.bytes, 0) - j.steps_max_bytes)::bigint as excess from projects j
      left join (select project_id, sum(bytes) as bytes from steps group by project_id) s on s.project_id = j.id
      left join (select project_id, sum(bytes) as bytes from step_screens group by project_id) c on c.project_id = j.id
    where coalesce(s.bytes, 0) + coalesce(c.bytes, 0) > j.steps_max_bytes`
  for (const { id, excess } of full) await inTransaction(core.db, (tx) => dropOldest(tx, id, excess))
}

/** Returns the number of deleted rows. */
async function deleteSteps(tx: Tx, before: Date): Promise<number> {
  const gone = await tx.$queryRaw<{ pictureId: string | null }[]>`delete from steps where id in
    (select id from steps where started_at < ${before} order by started_at limit ${batch} for update skip locked)
    returning picture_id as "pictureId"`
  await dropPictures(tx, gone)
  return gone.length
}

/** Deletes a project's oldest steps, with the screens read before them, until `excess` bytes are free. */
async function dropOldest(tx: Tx, projectId: string, excess: bigint): Promise<void> {
  // All rows of the project in their order, with the bytes of those up to each.
  const [cut] = await tx.$queryRaw<{ at: Date }[]>`select at from (
      select at, sum(bytes) over (order by at, id) as freed from (
        select started_at as at, id, bytes from steps where project_id = ${projectId}
        union all select at, id, bytes from step_screens where project_id = ${projectId}) rows) sums
    where freed >= ${excess} order by at limit 1`
  if (!cut) return
  const gone = await tx.$queryRaw<{ pictureId: string | null }[]>`delete from steps
    where project_id = ${projectId} and started_at <= ${cut.at} and status <> 'running'
    returning picture_id as "pictureId"`
  await dropPictures(tx, gone)
  // The screen after the last deleted step is the one before the next.
  await tx.$executeRaw`delete from step_screens c where c.project_id = ${projectId} and c.at <= ${cut.at}
    and not exists (select 1 from steps s where s.phone_id = c.phone_id and (s.before_id = c.id or s.after_id = c.id))`
}

async function dropPictures(tx: Tx, gone: readonly { pictureId: string | null }[]): Promise<void> {
  for (const { pictureId } of gone) if (pictureId !== null) await addFileDelete(tx, pictureId)
}
