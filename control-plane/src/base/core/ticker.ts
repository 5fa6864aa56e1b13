/** Runs a function periodically, never concurrently, until it is stopped. Logs failures and continues. */
import { type Logger } from '@phonerack/shared'

export class Ticker {
  private readonly timer: NodeJS.Timeout
  private running: Promise<void> | null = null

  constructor(
    private readonly name: string,
    everyMs: number,
    private readonly log: Logger,
    private readonly work: () => Promise<void>,
  ) {
    this.timer = setInterval(() => this.tick(), everyMs)
  }

  /** Waits for a run in progress. */
  async stop(): Promise<void> {
    clearInterval(this.timer)
    await this.running
  }

  private tick(): void {
    this.running ??= this.work()
      .catch((error: unknown) => this.log.warn({ err: error, what: this.name }, 'a regular task failed'))
      .finally(() => (this.running = null))
  }
}
