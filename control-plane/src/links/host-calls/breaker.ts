/**
 * Circuit breaker of an unreachable host: for a while, calls fail immediately instead of waiting for a connection. Lost
 * or unanswered calls do not open the breaker, since a single phone may cause them. Pure; times in milliseconds.
 */
export class Breaker {
  private failures = 0
  private openUntil = 0

  constructor(
    private readonly threshold = 5,
    private readonly restMs = 2000,
  ) {}

  /**
   * Returns false while the breaker is open. After that time, calls may wait again, and the next failure reopens the
   * breaker.
   */
  allows(now: number): boolean {
    return now >= this.openUntil
  }

  succeeded(): void {
    this.failures = 0
    this.openUntil = 0
  }

  failed(now: number): void {
    this.failures += 1
    if (this.failures >= this.threshold) this.openUntil = now + this.restMs
  }
}
