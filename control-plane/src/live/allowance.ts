/** How much a socket may send: `burst` messages at once, `perSecond` for long. */
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

  /** False when it is used up. @param now milliseconds of a clock that never goes back */
  take(now: number): boolean {
    this.left = Math.min(this.burst, this.left + ((now - this.at) * this.perSecond) / 1000)
    this.at = now
    if (this.left < 1) return false
    this.left -= 1
    return true
  }
}
