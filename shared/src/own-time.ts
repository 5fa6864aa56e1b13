/**
 * A clock that excludes pauses of this process: machines are suspended, hang for seconds, or lack processor
 * time. Use it to measure another party's silence: during a pause its messages could not be read, and it may
 * have been paused too. Used by `Progress` and by the timeouts of phones, hosts and calls.
 */

/**
 * Milliseconds. `most` is the largest time that counts between two readings; longer times are a pause of this process.
 */
const times = { between: 250, most: 750 }

/** Counts the time between readings, each up to `most`. Pure: the time is a parameter. */
export class OwnTime {
  private counted = 0

  constructor(private lookedAt: number) {}

  count(now: number): number {
    this.counted += this.since(now)
    this.lookedAt = now
    return this.counted
  }

  /** Like `count`, without recording the time. */
  at(now: number): number {
    return this.counted + this.since(now)
  }

  private since(now: number): number {
    return Math.min(Math.max(0, now - this.lookedAt), times.most)
  }
}

const ofThisProcess = new OwnTime(performance.now())
setInterval(() => ofThisProcess.count(performance.now()), times.between).unref()

/** Milliseconds that this process has run, by a monotonic clock. Use only differences of the values. */
export const ownNow = (): number => ofThisProcess.at(performance.now())
