/**
 * Writes activity in batches beside the requests, so that none waits for it. What is not written when the process dies is
 * lost: activity tells people what happened, and proves nothing; money and phones do not depend on it.
 */
import { Ticker } from '../jobs/ticker.js'
import { type Core } from '../phones/core.js'
import { type ActivityEntry, type ActivityService } from '../services.js'

/** Milliseconds. */
const flushEveryMs = 250
const mostAtOnce = 500
/** Kept while Postgres does not answer; older ones are dropped then. */
const mostWaiting = 10_000

export interface ActivityRecorder extends ActivityService {
  /** Resolves once what was recorded before is written, or could not be. */
  flush(): Promise<void>
  close(): Promise<void>
}

export function createActivityRecorder(core: Core): ActivityRecorder {
  let waiting: ActivityEntry[] = []
  let writing: Promise<void> = Promise.resolve()

  const write = async (): Promise<void> => {
    while (waiting.length > 0) {
      const entries = waiting.slice(0, mostAtOnce)
      await core.db.activity.createMany({ data: entries })
      waiting = waiting.slice(entries.length)
    }
  }
  const flush = (): Promise<void> => {
    writing = writing.then(write).catch((error: unknown) => {
      core.log.warn({ err: error, waiting: waiting.length }, 'activity could not be written')
    })
    return writing
  }
  const ticker = new Ticker('activity', flushEveryMs, core.log, flush)

  return {
    record(entry) {
      if (waiting.length >= mostWaiting) {
        waiting.shift()
        core.log.warn({ request_id: entry.requestId }, 'activity is dropped: too much of it waits')
      }
      waiting.push(entry)
    },
    flush,
    async close() {
      await ticker.stop()
      await flush()
    },
  }
}
