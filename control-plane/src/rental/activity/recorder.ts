/**
 * Writes activity in batches in the background, so that no request waits for it. Entries that are
 * unwritten when the process is killed are lost: activity is informational, and neither money nor
 * phones depend on it. Entries lost in any other way raise an alarm.
 */
import { Alarm, type CounterName } from '@phonerack/shared'
import { Ticker } from '../../base/core/ticker.js'
import { type Core } from '../../base/core/core.js'
import { BoundedQueue } from './queue.js'
import { writeEntries } from './write.js'
import { type ActivityEntry, type ActivityService } from './types.js'

/** Milliseconds. */
const flushEveryMs = 250
const longestPauseMs = 10_000
const maxPerStatement = 500
/**
 * The number of entries kept while Postgres does not answer; the oldest entries above it are dropped. An
 * entry has at most a few kilobytes.
 */
const maxWaiting = 10_000

interface ActivityRecorder extends ActivityService {
  /** Resolves when earlier entries are written, or writing them has failed. */
  flush(): Promise<void>
  close(): Promise<void>
}

export function createActivityRecorder(core: Core): ActivityRecorder {
  const alarm = (name: CounterName, message: string): Alarm =>
    new Alarm(core.log, core.counters, name, message)
  const failing = alarm('activity_write_failures', 'could not write activity entries; retrying')
  const refusing = alarm(
    'activity_rows_refused',
    'the database rejected an activity entry; the entry is lost',
  )
  const dropping = alarm(
    'activity_rows_dropped',
    'too many activity entries are waiting; the oldest are lost',
  )
  const queue = new BoundedQueue<ActivityEntry>(maxWaiting, (count) =>
    dropping.raise({ most: maxWaiting }, count),
  )
  let writing: Promise<void> = Promise.resolve()
  let failures = 0
  let notBefore = 0

  const write = async (): Promise<void> => {
    while (queue.size > 0) {
      const { refused, unwritten } = await writeEntries(core.db, queue.take(maxPerStatement))
      for (const { entry, error } of refused)
        refusing.raise({ err: error, request_id: entry.requestId, route: entry.route })
      if (unwritten) {
        queue.putBack(unwritten.entries)
        failures += 1
        notBefore = performance.now() + Math.min(longestPauseMs, flushEveryMs * 2 ** Math.min(failures, 10))
        failing.raise({ err: unwritten.error, waiting: queue.size })
        return
      }
      failures = 0
    }
  }
  const flush = (): Promise<void> => {
    writing = writing.then(write)
    return writing
  }
  const ticker = new Ticker('activity', flushEveryMs, core.log, () =>
    performance.now() < notBefore ? Promise.resolve() : flush(),
  )

  return {
    record: (entry) => queue.push(entry),
    flush,
    async close() {
      await ticker.stop()
      await flush()
    },
  }
}
