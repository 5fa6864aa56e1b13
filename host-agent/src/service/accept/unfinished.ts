/**
 * Work of checks that an interruption does not end, because it resets settings that must not stay on the
 * phone. The run waits for this work after each check, and before it releases the phone.
 */
export class Unfinished {
  private readonly running = new Set<Promise<unknown>>()
  private failures: unknown[] = []

  /** Makes the run wait for `work`. A rejection is also kept for `settled`. */
  async add<T>(work: Promise<T>): Promise<T> {
    this.running.add(work)
    try {
      return await work
    } catch (error) {
      this.failures.push(error)
      throw error
    } finally {
      this.running.delete(work)
    }
  }

  /** Runs `work`, then `reset`, even if `work` failed. `reset` needs a deadline that an interruption does not end. */
  async resetAfter<T>(work: () => Promise<T>, reset: () => Promise<void>): Promise<T> {
    const working = work()
    const resetting = this.add(
      working.then(
        () => reset(),
        () => reset(),
      ),
    )
    try {
      return await working
    } finally {
      await resetting
    }
  }

  /** Waits for all work. @returns the errors since the last call */
  async settled(): Promise<unknown[]> {
    while (this.running.size > 0) await Promise.allSettled(this.running)
    return this.failures.splice(0)
  }
}
