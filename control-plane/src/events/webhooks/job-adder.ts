/**
 * Adds the jobs of webhooks that have new deliveries, after the commit of the deliveries. Each statement locks only the
 * job of one webhook, and few statements run at the same time. Reconciliation adds a job that could not be added.
 */
import { type Core } from '../../base/core/core.js'
import { addJobs } from '../../base/queue/queue.js'
import { deliverNow } from './jobs.js'

/** Concurrent statements, so that a statement that waits for a lock does not stop the others. */
const mostStatements = 4

interface JobAdder {
  add(webhookIds: readonly string[]): void
  /** Resolves when all jobs are added, or could not be added. */
  stop(): Promise<void>
}

export function createJobAdder(core: Core): JobAdder {
  /** IDs of webhooks in the order of their arrival. */
  const waiting = new Set<string>()
  const running = new Set<Promise<void>>()
  const addNext = async (): Promise<void> => {
    for (const id of waiting) {
      // The ID is removed before the statement, since a later delivery needs another job.
      waiting.delete(id)
      try {
        await addJobs(core.db, [deliverNow(id)])
      } catch (error) {
        core.log.warn({ err: error, webhook: id }, 'could not add the job of a webhook')
      }
    }
  }
  return {
    add(webhookIds) {
      for (const id of webhookIds) waiting.add(id)
      for (let more = Math.min(waiting.size, mostStatements - running.size); more > 0; more -= 1) {
        const work = addNext().finally(() => running.delete(work))
        running.add(work)
      }
    },
    async stop() {
      await Promise.all(running)
    },
  }
}
