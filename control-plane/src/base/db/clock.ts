/**
 * The time that replicas share: Postgres's time, continued by this process's monotonic clock between measurements. A
 * step of the machine's clock has no effect. Money, due times and expiry use this time through `core.clock`.
 */
import { type Clock } from '@phonerack/shared'

/** Milliseconds by which the machine's clock may differ from Postgres's before the operator is warned. */
const maxSkewMs = 2000
export class DatabaseClock implements Clock {
  private constructor(
    private readonly readTime: () => Promise<Date>,
    private readonly machine: Clock,
    /** Postgres's time when the monotonic clock was at 0. */
    private origin: number,
    private skew: number,
  ) {}

  /** @param readTime reads Postgres's time @param machine this machine's clock, used only for comparison */
  static async start(readTime: () => Promise<Date>, machine: Clock): Promise<DatabaseClock> {
    const { earliest, latest, skew } = await measure(readTime, machine)
    const origin = (earliest + latest) / 2
    return new DatabaseClock(readTime, machine, origin, skew(origin))
  }

  now(): Date {
    return new Date(this.origin + performance.now())
  }

  /** Milliseconds by which the machine's clock is ahead of Postgres. */
  get skewMs(): number {
    return this.skew
  }

  get isSkewed(): boolean {
    return Math.abs(this.skew) > maxSkewMs
  }

  /**
   * Measures again. The time moves only as far as the measurement proves it wrong. A slow answer of a busy machine
   * proves little, and due times must not jump back and forth with it.
   */
  async measure(): Promise<void> {
    const { earliest, latest, skew } = await measure(this.readTime, this.machine)
    this.origin = Math.min(Math.max(this.origin, earliest), latest)
    this.skew = skew(this.origin)
  }
}

/**
 * Postgres read its time between the call and the answer, so its time at 0 of the monotonic clock is between these two
 * bounds.
 */
async function measure(readTime: () => Promise<Date>, machine: Clock) {
  const before = performance.now()
  const read = (await readTime()).getTime()
  const after = performance.now()
  const machineOrigin = machine.now().getTime() - after
  // A `Date` drops the fraction of its last millisecond.
  return {
    earliest: read - after,
    latest: read + 1 - before,
    skew: (origin: number) => machineOrigin - origin,
  }
}
