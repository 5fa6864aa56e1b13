/** Assembles events and webhooks: their services, the numbering, and the parts of deliveries. */
import { type TaskList } from 'graphile-worker'
import { type Config } from '../base/config/config.js'
import { createChanges, eventTopic } from '../base/core/changes.js'
import { type Core } from '../base/core/core.js'
import { Ticker } from '../base/core/ticker.js'
import { Listener } from '../base/db/listener.js'
import { openWebhookKey } from '../base/db/webhook-key.js'
import { Numberer } from '../events/events/numberer.js'
import { createEventService } from '../events/events/service.js'
import { type EventService } from '../events/events/types.js'
import { webhookTasks, workers } from '../fleet/jobs/tasks.js'
import { fanOut } from '../events/webhooks/fan-out.js'
import { createJobAdder } from '../events/webhooks/job-adder.js'
import { createResolve } from '../events/webhooks/resolve.js'
import { createWebhookService } from '../events/webhooks/service.js'
import { type WebhookService } from '../events/webhooks/types.js'

/** Milliseconds between two reads of new events, in case Postgres's notification of an event was lost. */
const readMs = 15_000

interface AppEvents {
  services: { events: EventService; webhooks: WebhookService }
  /** The job pool of deliveries. */
  pool(stopping: AbortSignal): { tasks: TaskList; concurrency: number }
  ticker: Ticker
  close(): Promise<void>
}

export async function openEvents(core: Core, config: Config): Promise<AppEvents> {
  const { allowed } = config.webhooks
  const key = await openWebhookKey(core.db, config, core.log)
  const resolve = createResolve()
  const changes = createChanges(core.bus, eventTopic)
  const jobs = createJobAdder(core)
  const numberer = new Numberer(
    core,
    changes,
    (tx, events) => fanOut(tx, core.clock, events),
    (webhookIds) => jobs.add(webhookIds),
  )
  const listener = new Listener(config.databaseUrl, 'phonerack_events', core.log, () => numberer.wake())
  return {
    services: {
      events: createEventService(core, changes),
      webhooks: createWebhookService(core, key, config.webhooks),
    },
    pool: (stopping) => ({
      tasks: webhookTasks({ core, key, allowed, resolve, stopping }),
      concurrency: workers.webhooks,
    }),
    ticker: new Ticker('numbering of events', readMs * core.pace, core.log, () => numberer.numberNew()),
    async close() {
      await listener.close()
      await numberer.stop()
      await jobs.stop()
      changes.close()
    },
  }
}
