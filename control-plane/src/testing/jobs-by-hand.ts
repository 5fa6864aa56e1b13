/**
 * Runs the queued jobs one by one, by the application's clock instead of the database's. A test then decides
 * when a timer is due, and a cut process leaves its job as a killed worker does: locked, with an attempt
 * counted. For tests.
 */
import { type JobHelpers, type TaskList } from 'graphile-worker'
import { type Database } from '../base/db/database.js'
import { type JobName } from '../base/queue/queue.js'

interface DueJob {
  id: bigint
  name: string
  payload: unknown
}

const worker = 'a test'
/** Our tasks use none of graphile's helpers. */
const noHelpers = {} as JobHelpers

/** Runs all jobs due at `now`, including jobs that these jobs add. Returns their number. */
export async function runDueJobs(db: Database, tasks: TaskList, now: () => Date): Promise<number> {
  for (let count = 0; ; count += 1) {
    const job = await takeDueJob(db, Object.keys(tasks), now())
    if (!job) return count
    if (count > 500) throw new Error(`jobs never end; the last is ${job.name}`)
    await tasks[job.name]?.(job.payload, noHelpers)
    await db.$executeRaw`delete from graphile_worker._private_jobs where id = ${job.id}`
  }
}

/** Makes the waiting jobs of a phone, a device or a webhook due now, and wakes the workers. */
export async function makeDue(db: Database, name: JobName, id: string): Promise<void> {
  await db.$executeRaw`update graphile_worker._private_jobs j set run_at = now() from graphile_worker._private_tasks t
    where t.id = j.task_id and t.identifier = ${name} and j.locked_at is null and j.run_at > now()
      and position(${id} in j.payload::text) > 0`
  await db.$queryRaw`select pg_notify('jobs:insert', '{"count":1}')::text as notified`
}

/** Unlocks the jobs of dead workers, as another replica does when the workers are silent. */
export async function unlockJobs(db: Database): Promise<void> {
  await db.$queryRaw`select 1 as unlocked from graphile_worker.force_unlock_workers(array[${worker}])`
}

/**
 * A job that was added without a time has the database's time, which can be ahead of the application's clock:
 * the job is due immediately.
 */
async function takeDueJob(db: Database, names: readonly string[], now: Date): Promise<DueJob | null> {
  const rows = await db.$queryRaw<DueJob[]>`
    with taken as (
      update graphile_worker._private_jobs set locked_at = now(), locked_by = ${worker}, attempts = attempts + 1
      where id = (select j.id from graphile_worker._private_jobs j
        join graphile_worker._private_tasks t on t.id = j.task_id
        where t.identifier = any(${[...names]}) and j.locked_at is null and j.attempts < j.max_attempts
          and (j.run_at <= ${now} or j.run_at = j.updated_at) order by j.run_at, j.id limit 1)
      returning id, task_id, payload)
    select taken.id, t.identifier as name, taken.payload
    from taken join graphile_worker._private_tasks t on t.id = taken.task_id`
  return rows[0] ?? null
}
