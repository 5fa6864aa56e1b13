/**
 * Wakes idle workers when a job becomes due. graphile-worker itself does so only for jobs that are
 * due when they are added; for others each of its workers would have to poll.
 */
import { type Logger } from '@phonerack/shared'
import type pg from 'pg'

/** Milliseconds between two looks, for jobs that no notification announces: those of a dead replica. */
const lookMs = 2000
/** Milliseconds between two looks while notifications arrive. */
const pauseMs = 100

/** Jobs of one task that a worker may run now. */
export interface Due {
  task: string
  count: number
}

export class DueJobs {
  private timer: NodeJS.Timeout | null = null
  private looking: Promise<void> | null = null
  private isStopped = false
  private nextLookAt = 0

  /** @param pool separate from that of requests, all of whose connections may be in use @param wake receives the due jobs, and never an empty list */
  constructor(
    private readonly pool: Pick<pg.Pool, 'query'>,
    private readonly log: Logger,
    private readonly wake: (due: readonly Due[]) => void,
  ) {
    this.lookIn(0)
  }

  /** Call it when jobs were added or unlocked. */
  noteChange(): void {
    this.lookIn(pauseMs)
  }

  /** Waits for a look in progress. */
  async stop(): Promise<void> {
    this.isStopped = true
    if (this.timer) clearTimeout(this.timer)
    await this.looking
  }

  /** Looks in `ms` milliseconds, unless an earlier look is planned. */
  private lookIn(ms: number): void {
    const at = performance.now() + ms
    if (this.isStopped || (this.timer && this.nextLookAt <= at)) return
    if (this.timer) clearTimeout(this.timer)
    this.nextLookAt = at
    this.timer = setTimeout(() => {
      this.timer = null
      // A change during a look plans the next one, which may come before this one has ended.
      if (this.looking) return this.lookIn(pauseMs)
      this.looking = this.look()
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

  /** Returns the milliseconds until the next look. */
  private async look(): Promise<number> {
    const { rows } = await this.pool.query<{ task: string; due: number; nextMs: number | null }>(
      `select task_identifier as task, (count(*) filter (where run_at <= now()))::int as due,
        (extract(epoch from min(run_at) filter (where run_at > now()) - now()) * 1000)::float8 as "nextMs"
      from graphile_worker.jobs where locked_at is null and attempts < max_attempts
        and run_at <= now() + make_interval(secs => $1::float8)
      group by task_identifier`,
      [lookMs / 1000],
    )
    const due = rows.filter((row) => row.due > 0).map(({ task, due: count }) => ({ task, count }))
    if (due.length > 0 && !this.isStopped) this.wake(due)
    return Math.min(lookMs, ...rows.map(({ nextMs }) => (nextMs === null ? lookMs : Math.ceil(nextMs) + 1)))
  }
}
