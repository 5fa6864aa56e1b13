/**
 * A clock that stands still while this process does: machines are paused, hang for seconds, or have no processor to spare.
 * For whoever measures how long somebody else is silent: what was said meanwhile could not be heard, and the other may have
 * stood still with us. Used by `Progress` and by those who judge phones, hosts and calls by their silence.
 */

/** Milliseconds. `most`: so much of the time between two looks counts; what is beyond it, we stood still. */
const times = { between: 250, most: 750 }

/** Counts the time between looks, but no more of it than `most`. Pure: told of what time it is. */
export class OwnTime {
  private counted = 0

  constructor(private lookedAt: number) {}

  look(now: number): number {
    this.counted += this.since(now)
    this.lookedAt = now
    return this.counted
  }

  /** As `look`, without being one. */
  at(now: number): number {
    return this.counted + this.since(now)
  }

  private since(now: number): number {
    return Math.min(Math.max(0, now - this.lookedAt), times.most)
  }
}

const ofThisProcess = new OwnTime(performance.now())
setInterval(() => ofThisProcess.look(performance.now()), times.between).unref()

/** Milliseconds that this process has run. Only grows; for differences. */
export const ownNow = (): number => ofThisProcess.at(performance.now())
