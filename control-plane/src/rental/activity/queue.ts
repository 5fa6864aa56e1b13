/**
 * Entries waiting to be written, oldest first. When there are more than `most`, the oldest are
 * dropped.
 */
export class BoundedQueue<T> {
  private waiting: T[] = []

  /** @param onDropped receives the number of dropped entries */
  constructor(
    private readonly most: number,
    private readonly onDropped: (count: number) => void,
  ) {}

  get size(): number {
    return this.waiting.length
  }

  push(entry: T): void {
    this.waiting.push(entry)
    this.trim()
  }

  /** Removes and returns the oldest entries. */
  take(count: number): T[] {
    return this.waiting.splice(0, count)
  }

  /** Puts entries that could not be written back to the front of the queue. */
  putBack(entries: readonly T[]): void {
    this.waiting = [...entries, ...this.waiting]
    this.trim()
  }

  private trim(): void {
    const tooMany = this.waiting.length - this.most
    if (tooMany <= 0) return
    this.waiting.splice(0, tooMany)
    this.onDropped(tooMany)
  }
}
