/**
 * Circuit breaker of a host that cannot be connected: for a moment, calls fail immediately instead
 * of waiting. Lost or unanswered calls do not open it, since they may be due to one phone. Pure;
 * time in milliseconds.
 */
export class Breaker {
  private failures = 0
  private openUntil = 0

  constructor(
    private readonly threshold = 5,
    private readonly restMs = 2000,
  ) {}

  /**
   * Returns false while the breaker is open. After its rest calls may wait again; the next failure
   * reopens it.
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
