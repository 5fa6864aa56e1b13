/**
 * Of a host that cannot be connected: for a moment calls do not wait for it, and fail at once. Calls that it lost or
 * never answered say nothing here, since they may be one phone's. Pure; time in milliseconds.
 */
export class Breaker {
  private failures = 0
  private openUntil = 0

  constructor(
    private readonly threshold = 5,
    private readonly restMs = 2000,
  ) {}

  /** False while the breaker is open. After its rest, calls may wait again; the next failure opens it anew. */
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
