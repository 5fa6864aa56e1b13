/**
 * One of graphile's worker pools. A pool stops by itself if it cannot write the end of a job, and then starts no more
 * jobs. It needs a successor immediately, since its last jobs may take minutes.
 */
import { EventEmitter } from 'node:events'
import { setTimeout } from 'node:timers/promises'
import {
  Logger as GraphileLogger,
  run,
  type TaskList,
  type WorkerEvents,
  type WorkerPool,
} from 'graphile-worker'
import type pg from 'pg'
import { onAbort } from '@phonerack/shared'

export interface PoolWork {
  tasks: TaskList
  concurrency: number
}

interface PoolEvents {
  /** Called with the name under which graphile locks jobs for the pool or one of its workers. */
  onId(id: string): void
  /** Called when jobs were added, for this pool or others. */
  onAdded(): void
  onJobStart(jobId: string): void
  onJobEnd(jobId: string): void
  onJobError(task: string, error: unknown, attempt: number): void
  /** Called when the ends of jobs could not be written, so that the pool stops. */
  onUnwritten(error: unknown): void
}

export interface StartedPool {
  /** Wakes up to `count` idle workers. */
  wake(count: number): void
  /** Resolves when the pool starts no more jobs. */
  stopping: Promise<void>
  /** Resolves when the pool's last job has ended, and the ends have been written or have failed to be written. */
  ended: Promise<void>
  stop(): Promise<void>
}

/** Milliseconds after which a worker searches for jobs without an announcement. `due-jobs.ts` announces jobs. */
const pollMs = 300_000
/**
 * Milliseconds within which one statement writes the ends of jobs. Without these delays, graphile 0.18 ignores a
 * failure to write the end of a job: the promise is rejected without a handler, and the job stays locked. With the
 * delays, the pool stops.
 */
const endings = { completeJobBatchDelay: 10, failJobBatchDelay: 0 } as const
/**
 * Milliseconds after the end of the last job. Graphile 0.18 counts the statements that write the ends of jobs, and
 * loses count when a statement fails: it then waits for none of the next statements, or forever. A job whose end is
 * written later runs once more.
 */
const writingMs = 2000

export const quiet = new GraphileLogger(() => () => undefined)

export async function startPool(
  pgPool: pg.Pool,
  { tasks, concurrency }: PoolWork,
  on: PoolEvents,
): Promise<StartedPool> {
  const events: WorkerEvents = new EventEmitter()
  const idle = new AbortController()
  const workersEnded = new AbortController()
  let workers = 0
  let isStopping = false
  let isUnwritten = false
  let wake: WorkerPool['nudge'] = () => undefined
  events.on('pool:create', ({ workerPool }) => {
    on.onId(workerPool.id)
    wake = workerPool.nudge.bind(workerPool)
    // Graphile calls this function for each job that any process adds. `due-jobs.ts` wakes the workers that have a job.
    workerPool.nudge = () => undefined
  })
  const noteStopping = (): void => {
    isStopping = true
    idle.abort()
  }
  for (const end of ['pool:gracefulShutdown', 'pool:forcefulShutdown', 'pool:release'] as const)
    events.on(end, noteStopping)
  events.on('pool:fatalError', ({ error }) => {
    isUnwritten = true
    on.onUnwritten(error)
  })
  // Jobs that are due later are announced too.
  events.on('pool:listen:notification', () => on.onAdded())
  events.on('worker:create', ({ worker }) => {
    workers += 1
    on.onId(worker.workerId)
  })
  events.on('worker:stop', () => {
    workers -= 1
    if (workers === 0) workersEnded.abort()
  })
  events.on('job:start', ({ job }) => on.onJobStart(job.id))
  events.on('job:complete', ({ job }) => on.onJobEnd(job.id))
  events.on('job:error', ({ job, error }) => on.onJobError(job.task_identifier, error, job.attempts))
  const runner = await run({
    pgPool,
    taskList: tasks,
    concurrency,
    pollInterval: pollMs,
    noHandleSignals: true,
    logger: quiet,
    events,
    preset: { worker: endings },
  })
  const written = runner.promise.finally(noteStopping)
  let stopped: Promise<void> | null = null
  const stop = (): Promise<void> => (stopped ??= runner.stop())
  const ended = async (): Promise<void> => {
    await Promise.race([written, aborted(workersEnded.signal)])
    const enough = setTimeout(writingMs, undefined, { ref: false })
    await Promise.race([written, enough])
    if (!isUnwritten) return
    await enough
    // This call ends the parts that graphile has not ended itself.
    await stop().catch(() => undefined)
  }
  return {
    wake(count) {
      if (!isStopping) wake(count)
    },
    stopping: aborted(idle.signal),
    ended: ended(),
    stop,
  }
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => void onAbort(signal, resolve))
