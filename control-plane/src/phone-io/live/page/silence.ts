/**
 * Recognises a dead connection by its silence: the page pings the server every second, and the server answers each ping. Pure.
 */

/** Milliseconds between two pings of a page. */
export const pingEveryMs = 1000
/** Milliseconds of silence after which a page closes its connection. */
export const silentAfterMs = 3000

export class Silence {
  private heardAt: number
  private lookedAt: number

  /** @param now milliseconds of a monotonic clock, as in all methods */
  constructor(now: number) {
    this.heardAt = now
    this.lookedAt = now
  }

  /** Any message arrived. */
  heard(now: number): void {
    this.heardAt = now
  }

  /** Called every `pingEveryMs`. Returns true when the other side has been silent for too long. */
  isOver(now: number): boolean {
    const pausedMs = now - this.lookedAt - 2 * pingEveryMs
    this.lookedAt = now
    // The page was suspended, and reads the messages that arrived during that time after this call.
    if (pausedMs > 0) this.heardAt = Math.max(this.heardAt, now - pingEveryMs)
    return now - this.heardAt >= silentAfterMs
  }
}
