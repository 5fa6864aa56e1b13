/** Counters of this process's faults, and the log lines that report them to an operator. */
import { type Logger } from './log.js'

/** Every counter with its description; a metrics endpoint exports them under these names. */
export const counterHelp = {
  activity_write_failures: 'Failed writes of activity entries that are retried.',
  activity_rows_refused: 'Activity entries lost because the database rejected them.',
  activity_rows_dropped: 'Activity entries lost because too many were waiting.',
  step_write_failures: 'Failed writes of steps that are retried.',
  step_rows_lost: 'Steps that are incomplete because too many were waiting or the database rejected them.',
  clock_skewed: 'Checks in which the clock of this machine differed from Postgres by more than 2 s.',
  nats_revocations_failed: 'Failed attempts to revoke NATS users on the broker, which are repeated.',
} as const

export type CounterName = keyof typeof counterHelp

/** Counts since the process began. */
export class Counters {
  private readonly counts = new Map<CounterName, number>()

  add(name: CounterName, by = 1): void {
    this.counts.set(name, this.read(name) + by)
  }

  read(name: CounterName): number {
    return this.counts.get(name) ?? 0
  }
}

/** Milliseconds between two log lines of one alarm. */
const quietMs = 60_000

/**
 * Counts every fault; logs the first fault immediately and later faults at most once a minute, so that a
 * fault cannot fill the log.
 */
export class Alarm {
  private loggedAt = -Infinity

  constructor(
    private readonly log: Logger,
    private readonly counters: Counters,
    private readonly name: CounterName,
    private readonly message: string,
  ) {}

  raise(facts: Record<string, unknown>, by = 1): void {
    this.counters.add(this.name, by)
    const now = performance.now()
    if (now - this.loggedAt < quietMs) return
    this.loggedAt = now
    this.log.error({ ...facts, alarm: this.name, count: this.counters.read(this.name) }, this.message)
  }
}
