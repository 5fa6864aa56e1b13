/**
 * Wakes idle workers when a job becomes due. graphile-worker itself wakes a worker of every pool for each added job,
 * for any task and any time, and wakes no worker when a job becomes due later.
 */
import { type Logger } from '@phonerack/shared'
import type pg from 'pg'

/** Milliseconds between two reads, for jobs without a notification: the jobs of a dead replica. */
const lookMs = 2000
/** Milliseconds between two reads while notifications arrive. */
const pauseMs = 20

/**
 * Reads the due jobs of each task. The view `jobs` has neither the column nor the condition of graphile's index, which
 * orders waiting jobs by their time: running phones have thousands of jobs that are due later. All jobs have priority
 * 0.
 */
const dueJobs = {
  name: 'due_jobs',
  text: `select t.identifier as task, (count(*) filter (where j.run_at <= now()))::int as due,
      (extract(epoch from min(j.run_at) filter (where j.run_at > now()) - now()) * 1000)::float8 as "nextMs"
    from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id
    where j.is_available = true and j.priority = 0 and j.run_at <= now() + make_interval(secs => $1::float8)
    group by t.identifier`,
  values: [lookMs / 1000],
}

/** Number of jobs of one task that a worker may run now. */
export interface Due {
  task: string
  count: number
}

export class DueJobs {
  private timer: NodeJS.Timeout | null = null
  private looking: Promise<void> | null = null
  private isStopped = false
  private nextLookAt = 0
  private lastLookAt = -Infinity

  /**
   * @param pool separate from the pool of requests, all of whose connections may be in use @param wake called with the
   * due jobs, never with an empty list
   */
  constructor(
    private readonly pool: Pick<pg.Pool, 'query'>,
    private readonly log: Logger,
    private readonly wake: (due: readonly Due[]) => void,
  ) {
    this.lookIn(0)
  }

  /** Must be called when jobs were added or unlocked. Reads now, or soon after the last read. */
  noteChange(): void {
    this.lookIn(Math.max(0, this.lastLookAt + pauseMs - performance.now()))
  }

  /** Waits for a read in progress. */
  async stop(): Promise<void> {
    this.isStopped = true
    if (this.timer) clearTimeout(this.timer)
    await this.looking
  }

  /** Reads in `ms` milliseconds, unless an earlier read is planned. */
  private lookIn(ms: number): void {
    const at = performance.now() + ms
    if (this.isStopped || (this.timer && this.nextLookAt <= at)) return
    if (this.timer) clearTimeout(this.timer)
    this.nextLookAt = at
    this.timer = setTimeout(() => {
      this.timer = null
      // A change during a read plans the next read, which can come before the current read has ended.
      if (this.looking) return this.lookIn(pauseMs)
      this.lastLookAt = performance.now()
      this.looking = this.wakeForDueJobs()
        .catch((error: unknown) => {
          this.log.warn({ err: error }, 'could not read which jobs are due')
          return lookMs
        })
        .then((next) => {
          this.looking = null
          this.lookIn(next)
        })
    }, ms)
  }

  /** Returns the milliseconds until the next read. */
  private async wakeForDueJobs(): Promise<number> {
    const { rows } = await this.pool.query<{ task: string; due: number; nextMs: number | null }>(dueJobs)
    const due = rows.filter((row) => row.due > 0).map(({ task, due: count }) => ({ task, count }))
    if (due.length > 0 && !this.isStopped) this.wake(due)
    return Math.min(lookMs, ...rows.map(({ nextMs }) => (nextMs === null ? lookMs : Math.ceil(nextMs) + 1)))
  }
}
