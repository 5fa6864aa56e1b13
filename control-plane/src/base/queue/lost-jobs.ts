/**
 * Unlocks jobs that this process has locked but does not run: the connection failed after Postgres had locked the job
 * and before the answer arrived, or a failover lost the end of a job. Graphile's worker takes other jobs, and the lost
 * job would stay locked for four hours.
 */
import { type Database } from '../db/database.js'

/**
 * Milliseconds after which a lock without a running job counts as lost. They exceed the query timeout of the workers'
 * connections (25 s), within which the answer arrives or fails.
 */
const lostAfterMs = 60_000

interface Locked {
  id: string
  /** The time in Postgres's text form with microseconds, which distinguishes this lock from a later lock. */
  lockedAt: string
}

export class LostJobs {
  private readonly running = new Set<string>()
  /** Ends of jobs by their ID. Graphile writes the end of a job a little later. */
  private readonly ended = new Map<string, number>()

  constructor(
    private readonly db: Database,
    private readonly afterMs = lostAfterMs,
  ) {}

  noteStart(jobId: string): void {
    this.ended.delete(jobId)
    this.running.add(jobId)
  }

  noteEnd(jobId: string): void {
    this.running.delete(jobId)
    this.ended.set(jobId, performance.now())
  }

  /**
   * @param workerIds the names under which graphile locks jobs for this process @returns the IDs of the unlocked jobs
   */
  async unlock(workerIds: readonly string[]): Promise<string[]> {
    this.forgetOldEnds()
    // Two statements are used: a job that another worker has locked after the first statement has a different time.
    const old = await this.db.$queryRaw<Locked[]>`
      select id::text, locked_at::text as "lockedAt" from graphile_worker._private_jobs
      where locked_by = any(${workerIds}::text[])
        and locked_at < now() - make_interval(secs => ${this.afterMs / 1000}::float8)`
    const lost = old.filter(({ id }) => !this.running.has(id) && !this.ended.has(id))
    if (lost.length === 0) return []
    const unlocked = await this.db.$queryRaw<{ id: string }[]>`
      update graphile_worker._private_jobs j set locked_at = null, locked_by = null
      from unnest(${lost.map(({ id }) => id)}::text[], ${lost.map(({ lockedAt }) => lockedAt)}::text[]) as l (id, locked_at)
      where j.id = l.id::bigint and j.locked_at = l.locked_at::timestamptz
      returning j.id::text`
    return unlocked.map(({ id }) => id)
  }

  /** The entries are in the order of their times. */
  private forgetOldEnds(): void {
    for (const [id, at] of this.ended) {
      if (performance.now() - at < this.afterMs) return
      this.ended.delete(id)
    }
  }
}
