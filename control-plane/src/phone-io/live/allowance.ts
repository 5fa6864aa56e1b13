/** A token bucket for a socket's messages: `burst` immediately, `perSecond` on average. */
export class Allowance {
  private left: number
  private at: number

  constructor(
    private readonly perSecond: number,
    private readonly burst: number,
    now: number,
  ) {
    this.left = burst
    this.at = now
  }

  /** Returns false when the bucket is empty. @param now milliseconds of a monotonic clock */
  take(now: number): boolean {
    this.left = Math.min(this.burst, this.left + ((now - this.at) * this.perSecond) / 1000)
    this.at = now
    if (this.left < 1) return false
    this.left -= 1
    return true
  }
}
