/**
 * Runs the numbering on this replica: at each notification of Postgres that events were committed, soon after a
 * failure, and at intervals, in case a notification was lost. Every replica does so; the lock of the numbering admits
 * one replica at a time.
 */
import { type Logger } from '@phonerack/shared'
import { type Changes } from '../../base/core/changes.js'
import { type Core } from '../../base/core/core.js'
import { batchSize, hasWaiting, numberEvents, type OnNumbered } from './numbering.js'

/** Milliseconds until the next try after a failure. */
const retryMs = 1000

export class Numberer {
  private retry: NodeJS.Timeout | null = null
  private running: Promise<void> | null = null
  private isWoken = false
  private isStopped = false
  private readonly log: Logger

  /**
   * @param changes notifies the open streams of all replicas, by project @param deliver called after the commit with
   * the IDs of the webhooks that have new deliveries
   */
  constructor(
    private readonly core: Core,
    private readonly changes: Changes,
    private readonly onNumbered: OnNumbered,
    private readonly deliver: (webhookIds: readonly string[]) => void,
  ) {
    this.log = core.log
  }

  /** Numbers events now. A run in progress may have missed the newest events, so it is followed by another run. */
  wake(): void {
    void this.numberNew()
  }

  /** Resolves when all events that were committed before the call are numbered, or the numbering has failed. */
  numberNew(): Promise<void> {
    this.isWoken = true
    this.running ??= this.run()
      .catch((error: unknown) => {
        this.log.warn({ err: error }, 'could not number events; trying again soon')
        this.retryLater()
      })
      .finally(() => {
        this.running = null
        // `wake` was called after the last read.
        if (this.isWoken && !this.isStopped) this.wake()
      })
    return this.running
  }

  async stop(): Promise<void> {
    this.isStopped = true
    if (this.retry) clearTimeout(this.retry)
    await this.running
  }

  private retryLater(): void {
    if (this.isStopped) return
    if (this.retry) clearTimeout(this.retry)
    this.retry = setTimeout(() => this.wake(), retryMs)
  }

  private async run(): Promise<void> {
    while (this.isWoken && !this.isStopped) {
      this.isWoken = false
      if (await hasWaiting(this.core)) await this.numberAll()
    }
  }

  private async numberAll(): Promise<void> {
    for (let count = batchSize; count === batchSize && !this.isStopped;) {
      const { events, webhookIds } = await numberEvents(this.core, this.onNumbered)
      this.deliver(webhookIds)
      for (const projectId of new Set(events.map((event) => event.projectId))) this.changes.publish(projectId)
      count = events.length
    }
  }
}
