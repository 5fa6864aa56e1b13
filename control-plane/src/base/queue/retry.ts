/** Schedules a job's next attempt. */
import { type JobName, type JobInput, type JobOptions, addJob } from './queue.js'
import { type Core } from '../core/core.js'

/** Milliseconds before the attempt number `attempt` + 1. */
export const backoff = (attempt: number, firstMs: number, longestMs: number): number =>
  Math.min(longestMs, firstMs * 2 ** Math.min(attempt - 1, 20))

/** Replaces the job by a job that runs after `ms` milliseconds, multiplied by the pace. */
export async function reschedule<N extends JobName>(
  { core }: { core: Core },
  name: N,
  payload: JobInput<N>,
  ms: number,
  options: JobOptions,
): Promise<void> {
  const runAt = new Date(core.clock.now().getTime() + ms * core.pace)
  await addJob(core.db, name, payload, { ...options, runAt })
}
