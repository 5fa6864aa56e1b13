/**
 * Runs jobs with graphile-worker in several pools, so that a slow host never delays a timer. Graphile keeps the jobs of
 * a killed replica locked for hours by default. Here, any replica unlocks them seconds after that replica's last
 * heartbeat, and the replica itself unlocks them when it starts again.
 */
import { runMigrations } from 'graphile-worker'
import pg from 'pg'
import { type Logger, pause } from '@phonerack/shared'
import { closeUnfinished, type Database } from '../db/database.js'
import { setOnConnect } from '../session-settings.js'
import { poolUseOf, type PoolUse } from '../db/pool-use.js'
import { countJobFailure } from '../metrics/instruments.js'
import { DueJobs, type Due } from './due-jobs.js'
import { LostJobs } from './lost-jobs.js'
import { ReplicaClaim } from './replica-claim.js'
import { quiet, startPool, type PoolWork, type StartedPool } from './worker-pool.js'
import { Ticker } from '../core/ticker.js'

interface RunnerOptions {
  databaseUrl: string
  db: Database
  replicaId: string
  replicaDeadAfterMs: number
  log: Logger
  /** Fingerprints of the authorities that this replica trusts, for the replica's row. */
  authorities?: () => string[]
  pools: readonly PoolWork[]
  /** Milliseconds after which a locked job that does not run is unlocked. Default: 60,000. */
  lostAfterMs?: number
  /** `Core.pace`. Default: 1. */
  pace?: number
}

const beatMs = 2000
/** Milliseconds between two searches for jobs that are locked here and do not run. */
const lostLookMs = 10_000
const restartMs = 500
/** Milliseconds that running jobs get when the process stops: first to finish, then to react to the abort. */
const graceMs = 700
const stopMs = 1500

/** Creates graphile's tables. Must be called before the first transaction that adds a job. */
export async function prepareJobs(databaseUrl: string): Promise<void> {
  await runMigrations({ connectionString: databaseUrl, logger: quiet })
}

export class JobRunner {
  private readonly pool: pg.Pool
  private readonly supervised: Promise<void>[]
  private readonly beats: Ticker
  private readonly lostLooks: Ticker
  private readonly due: DueJobs
  private readonly lost: LostJobs
  /** Pools whose jobs run: the pool that starts jobs, and earlier pools whose last jobs have not ended. */
  private readonly started = new Map<StartedPool, PoolWork>()
  private readonly ending = new Set<Promise<void>>()
  /** The worker IDs under which graphile locks the jobs of this process. */
  private readonly workerIds = new Set<string>()
  /** Worker IDs of stopped pools, whose locks are released at the next heartbeat. */
  private readonly orphans = new Set<string>()
  private readonly stopping = new AbortController()

  private constructor(
    private readonly options: RunnerOptions,
    private readonly claim: ReplicaClaim,
  ) {
    const workers = options.pools.reduce((sum, pool) => sum + pool.concurrency, 0)
    this.pool = new pg.Pool({
      connectionString: options.databaseUrl,
      // Each pool holds one additional connection to listen.
      max: Math.min(workers, 10) + options.pools.length,
      connectionTimeoutMillis: 10_000,
      // A server that never answers must not keep the connections of all workers.
      onConnect: setOnConnect({ statement_timeout: 20_000 }),
      query_timeout: 25_000,
      keepAlive: true,
      application_name: 'phonerack-jobs',
    })
    this.pool.on('error', (error) =>
      options.log.warn({ err: error }, 'a database connection for jobs was lost'),
    )
    // A connection that breaks during a job fails that job's query. Without a listener its error
    // event would end the process.
    this.pool.on('connect', (client) => client.on('error', () => undefined))
    closeUnfinished(this.pool)
    this.pool.setMaxListeners(50)
    this.lost = new LostJobs(options.db, options.lostAfterMs)
    const pace = options.pace ?? 1
    this.beats = new Ticker('replica heartbeat', beatMs * pace, options.log, () => this.beat())
    this.lostLooks = new Ticker('lost jobs', lostLookMs * pace, options.log, () => this.unlockLost())
    this.due = new DueJobs(this.pool, options.log, (due) => this.wake(due))
    this.supervised = options.pools.map((pool) => this.supervise(pool))
  }

  /** Unlocks the jobs of an earlier process of this replica, then starts. */
  static async start(options: RunnerOptions): Promise<JobRunner> {
    const claim = await ReplicaClaim.take(options.databaseUrl, options.replicaId, options.log)
    await options.db.$queryRaw`with gone as (delete from replicas where id = ${claim.id} returning worker_ids)
      select 1 as unlocked from gone, lateral graphile_worker.force_unlock_workers(gone.worker_ids)`
    const runner = new JobRunner(options, claim)
    await runner.beat()
    return runner
  }

  /** The ID of this replica, which no other live process has. */
  get replicaId(): string {
    return this.claim.id
  }

  /** The connections to Postgres that are in use at present. */
  poolUse(): PoolUse {
    return poolUseOf(this.pool)
  }

  /**
   * Lets running jobs finish for `graceMs`, then aborts their calls (`giveUp`), and returns the jobs that still run to
   * the queue for another replica.
   */
  async stop(giveUp: () => void): Promise<void> {
    this.stopping.abort()
    await Promise.all([this.beats.stop(), this.lostLooks.stop(), this.due.stop()])
    const stops = [...this.started.keys()].map((pool) =>
      pool.stop().catch((error: unknown) => this.onTrouble(error)),
    )
    const ended = Promise.all([...stops, ...this.supervised]).then(() => Promise.all(this.ending))
    if (!(await within(graceMs, ended))) giveUp()
    const isClean = await within(stopMs, ended)
    const ids = [...this.workerIds, ...this.orphans]
    // Another replica unlocks the jobs of a replica that has stopped, so a failure here must not end the process early.
    await this.unlock(ids).catch((error: unknown) => this.onTrouble(error))
    // A job that still runs keeps its connections until the process ends.
    if (isClean) await within(stopMs, this.pool.end())
  }

  private async unlock(ids: string[]): Promise<void> {
    await this.options.db.$queryRaw`select 1 as unlocked from graphile_worker.force_unlock_workers(${ids})`
    await this.options.db.replica.deleteMany({ where: { id: this.claim.id } })
    await this.claim.release()
  }

  /** Starts a pool of workers, and another pool whenever the pool stops. */
  private async supervise(work: PoolWork): Promise<void> {
    const isStopping = (): boolean => this.stopping.signal.aborted
    while (!isStopping()) {
      await this.runPool(work).catch((error: unknown) => this.onTrouble(error))
      if (isStopping()) break
      await pause(restartMs, this.stopping.signal)
      await this.beat().catch((error: unknown) => this.onTrouble(error))
    }
  }

  /** Resolves when the pool starts no more jobs. The pool keeps its locks until its last job has ended. */
  private async runPool(work: PoolWork): Promise<void> {
    const ids: string[] = []
    const forgetIds = (): void => {
      for (const id of ids) {
        this.workerIds.delete(id)
        this.orphans.add(id)
      }
    }
    const on = {
      onId: (id: string): void => {
        ids.push(id)
        this.workerIds.add(id)
      },
      onAdded: () => this.due.noteChange(),
      onJobStart: (id: string) => this.lost.noteStart(id),
      onJobEnd: (id: string) => this.lost.noteEnd(id),
      onJobError: (job: string, error: unknown, attempt: number): void => {
        countJobFailure(job)
        this.options.log.error({ err: error, job, attempt }, 'a job failed')
      },
      onUnwritten: (error: unknown) => this.onTrouble(error),
    }
    const pool = await startPool(this.pool, work, on).catch((error: unknown) => {
      forgetIds()
      throw error
    })
    this.started.set(pool, work)
    const ended = pool.ended
      .catch((error: unknown) => this.onTrouble(error))
      .finally(() => {
        this.started.delete(pool)
        this.ending.delete(ended)
        forgetIds()
      })
    this.ending.add(ended)
    if (this.stopping.signal.aborted) await pool.stop()
    await pool.stopping
  }

  private wake(due: readonly Due[]): void {
    for (const [pool, { tasks }] of this.started) {
      const count = due.reduce(
        (sum, { task, count: some }) => (Object.hasOwn(tasks, task) ? sum + some : sum),
        0,
      )
      if (count > 0) pool.wake(count)
    }
  }

  /** Records the heartbeat of this replica, and unlocks the jobs of replicas without a recent heartbeat. */
  private async beat(): Promise<void> {
    const { db, replicaDeadAfterMs } = this.options
    await this.claim.keep()
    const replicaId = this.claim.id
    const orphans = [...this.orphans]
    const ids = [...this.workerIds, ...orphans]
    const deadAfter = replicaDeadAfterMs / 1000
    const authorities = this.options.authorities?.() ?? []
    await db.$executeRaw`insert into replicas (id, worker_ids, beat_at, authorities)
      values (${replicaId}, ${ids}, now(), ${authorities})
      on conflict (id) do update set worker_ids = excluded.worker_ids, beat_at = excluded.beat_at,
        authorities = excluded.authorities`
    // Locks without a live owner include the locks of a replica that was killed before it recorded its workers.
    const unlocked = await db.$queryRaw<unknown[]>`with gone as (
        delete from replicas where id <> ${replicaId}
          and beat_at < now() - make_interval(secs => ${deadAfter}::float8) returning id),
      unclaimed as (
        select distinct j.locked_by as id from graphile_worker.jobs j
        where j.locked_at < now() - make_interval(secs => ${deadAfter}::float8)
          and not exists (select 1 from replicas r
            where j.locked_by = any(r.worker_ids) and r.id not in (select id from gone))),
      dead as (
        select array_agg(id) as ids from (select id from unclaimed union select unnest(${orphans}::text[])) as both_kinds)
      select 1 as unlocked from dead, lateral graphile_worker.force_unlock_workers(dead.ids)
      where dead.ids is not null`
    for (const id of orphans) this.orphans.delete(id)
    if (unlocked.length > 0) this.due.noteChange()
  }

  private async unlockLost(): Promise<void> {
    const lost = await this.lost.unlock([...this.workerIds])
    if (lost.length === 0) return
    this.options.log.warn({ jobs: lost }, 'jobs were locked here and did not run; unlocked them')
    this.due.noteChange()
  }

  private onTrouble(error: unknown): void {
    this.options.log.warn({ err: error }, 'the job workers stopped; restarting them')
  }
}

/** Waits for `work`, at most `ms`. Returns true if it ended in time. */
async function within(ms: number, work: Promise<unknown>): Promise<boolean> {
  const enough = new AbortController()
  const ended = await Promise.race([work.then(() => true), pause(ms, enough.signal).then(() => false)])
  enough.abort()
  return ended
}
