/**
 * One phone's writes, one at a time in order of arrival. Reads do not use the queue. Park and wipe do not
 * wait in the queue: they abort the running write.
 */
import { ApiError, limits, onAbort } from '@phonerack/shared'
import { tooMany } from './room.js'

interface Waiting {
  begin: () => void
  refuse: (error: Error) => void
}

interface WriteQueue {
  /**
   * Runs `work` when its turn comes.
   * @throws ApiError rate_limited after `waitMs` without a turn, or when too many wait; phone_unavailable when `signal` aborts before
   */
  run<T>(signal: AbortSignal, waitMs: number, work: () => Promise<T>): Promise<T>
  /** Resolves when the queue is idle. */
  idle(): Promise<void>
  readonly busy: boolean
}

/** @param most the largest number of waiting writes */
export function createWriteQueue(most: number = limits.writesWaiting): WriteQueue {
  const waiting: Waiting[] = []
  const idleWaiters = new Set<() => void>()
  let running = false

  const next = (): void => {
    const first = waiting.shift()
    if (first) {
      first.begin()
      return
    }
    running = false
    for (const waiter of [...idleWaiters]) waiter()
    idleWaiters.clear()
  }

  function turn(signal: AbortSignal, waitMs: number): Promise<void> {
    if (signal.aborted) return Promise.reject(new ApiError('phone_unavailable'))
    if (!running) {
      running = true
      return Promise.resolve()
    }
    if (waiting.length >= most)
      return Promise.reject(tooMany(`${most} writes wait for the phone already.`, most))
    return new Promise((resolve, reject) => {
      const leave = (error: ApiError) => {
        const at = waiting.indexOf(entry)
        if (at >= 0) waiting.splice(at, 1)
        entry.refuse(error)
      }
      const timer = setTimeout(
        () =>
          leave(
            new ApiError('rate_limited', {
              message: 'Another write is running on the phone.',
              details: { retry_after_seconds: 1 },
            }),
          ),
        waitMs,
      )
      const clear = () => {
        clearTimeout(timer)
        forget()
      }
      const entry: Waiting = {
        begin: () => {
          clear()
          resolve()
        },
        refuse: (error) => {
          clear()
          reject(error)
        },
      }
      waiting.push(entry)
      const forget = onAbort(signal, () => leave(new ApiError('phone_unavailable')))
    })
  }

  return {
    async run(signal, waitMs, work) {
      await turn(signal, waitMs)
      try {
        if (signal.aborted) throw new ApiError('phone_unavailable')
        return await work()
      } finally {
        next()
      }
    },
    idle() {
      if (!running) return Promise.resolve()
      return new Promise((resolve) => idleWaiters.add(resolve))
    },
    get busy() {
      return running
    },
  }
}
