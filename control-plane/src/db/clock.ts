/**
 * The time that replicas share: Postgres's time, continued by this process's monotonic clock
 * between measurements. A step of the machine's own clock has no effect. Money, due times and
 * expiry use it through `core.clock`.
 */
import { type Clock } from '@phonerack/shared'

/**
 * Milliseconds by which the machine's clock may differ from Postgres before the operator is warned.
 */
export const maxSkewMs = 2000
/** Milliseconds that a measurement may take: its error is at most half of that. */
const slowestMs = 500

export class DatabaseClock implements Clock {
  private constructor(
    private readonly readTime: () => Promise<Date>,
    private readonly machine: Clock,
    /** Postgres's time when the monotonic clock was at 0. */
    private origin: number,
    private skew: number,
  ) {}

  /**
   * @param readTime reads Postgres's time. @param machine this machine's clock, used only for
   * comparison
   */
  static async start(readTime: () => Promise<Date>, machine: Clock): Promise<DatabaseClock> {
    const first = await measure(readTime, machine)
    return new DatabaseClock(readTime, machine, first.origin, first.skew)
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
   * Measures again. A slow measurement is used only when Postgres's time has moved by more than its
   * error.
   */
  async measure(): Promise<void> {
    const { origin, skew, tookMs } = await measure(this.readTime, this.machine)
    if (tookMs > slowestMs && Math.abs(origin - this.origin) <= tookMs) return
    this.origin = origin
    this.skew = skew
  }
}

async function measure(readTime: () => Promise<Date>, machine: Clock) {
  const before = performance.now()
  const read = await readTime()
  const after = performance.now()
  const origin = read.getTime() - (before + after) / 2
  return { origin, skew: machine.now().getTime() - (origin + after), tookMs: after - before }
}
