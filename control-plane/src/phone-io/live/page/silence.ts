/**
 * Recognises a dead connection by its silence: the page pings the server every second, and the server answers each ping. Pure.
 */

/** Milliseconds between two pings of a page. */
export const pingEveryMs = 1000
/** Milliseconds of silence after which a page closes its connection. */
const silentAfterMs = 3000

export class Silence {
  private heardAt: number
  private lookedAt: number

  /** @param now milliseconds of a monotonic clock, as in all methods */
  constructor(now: number) {
    this.heardAt = now
    this.lookedAt = now
  }

  /** Must be called for any message that arrives. */
  heard(now: number): void {
    this.heardAt = now
  }

  /** Must be called every `pingEveryMs`. Returns true when the server has been silent for too long. */
  isOver(now: number): boolean {
    const pausedMs = now - this.lookedAt - 2 * pingEveryMs
    this.lookedAt = now
    // The page was suspended. It reads the messages of that time only after this call.
    if (pausedMs > 0) this.heardAt = Math.max(this.heardAt, now - pingEveryMs)
    return now - this.heardAt >= silentAfterMs
  }
}
