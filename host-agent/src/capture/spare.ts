/**
 * A standby video server: it is started on the phone and waits for its sockets, so that a video begins without the
 * start of Java. It films nothing and costs the phone only memory. It waits while a caller wants it and the phone does
 * not film. A standby server that dies is restarted after a pause. Used by `hub.ts`.
 */
import { Progress, type Logger, pause } from '@phonerack/shared'
import type { LaunchedServer } from './scrcpy/server-process.js'

interface Spare {
  /** Keeps a standby server until `within` or `stop` ends. */
  keep(within: Progress): Promise<void>
  /** Tells whether the phone films now. No standby server waits meanwhile. */
  films(isFilming: boolean): void
  /** Hands the waiting server over to the caller; null when there is none. */
  take(): Promise<LaunchedServer | null>
  /** Ends the standby server for all callers. */
  stop(): void
}

interface SpareParts {
  launch: (progress: Progress) => Promise<LaunchedServer>
  log: Logger
  /**
   * Milliseconds between the death of one server and the next start, doubled up to `longest` while servers die early.
   */
  pauses: { first: number; longest: number }
}

/** Milliseconds that a start may take. */
const startMs = 10_000

interface Waiting {
  control: AbortController
  server: Promise<LaunchedServer>
}

export function createSpare({ launch, log, pauses }: SpareParts): Spare {
  const wishes = new Set<AbortController>()
  let isFilming = false
  let waiting: Waiting | null = null
  /** The timer of the restart after a death. */
  let again: NodeJS.Timeout | undefined
  let pauseMs = pauses.first

  function look(): void {
    if (isFilming || wishes.size === 0) {
      clearTimeout(again)
      again = undefined
      pauseMs = pauses.first
    }
    if (wishes.size === 0) end()
    else if (!isFilming && !waiting && !again) begin()
  }

  function begin(): void {
    const control = new AbortController()
    const mine: Waiting = { control, server: launch(Progress.for(startMs, control.signal)) }
    waiting = mine
    const beganAt = performance.now()
    void mine.server
      .then(({ output }) => output.ended)
      .then(
        (reason) => died(mine, beganAt, reason),
        (error: unknown) => died(mine, beganAt, error),
      )
  }

  function died(mine: Waiting, beganAt: number, reason: unknown): void {
    if (waiting !== mine) return
    waiting = null
    log.info({ reason }, 'the standby video server stopped')
    if (performance.now() - beganAt > pauses.longest) pauseMs = pauses.first
    again = setTimeout(() => {
      again = undefined
      look()
    }, pauseMs)
    pauseMs = Math.min(pauseMs * 2, pauses.longest)
  }

  function end(): void {
    const mine = waiting
    waiting = null
    mine?.control.abort()
    mine?.server.then(
      ({ server }) => server.close(),
      // The server did not start.
      () => undefined,
    )
  }

  return {
    async keep(within) {
      const over = new AbortController()
      wishes.add(over)
      look()
      const both = Progress.for(within.remaining, within.signal, over.signal)
      await pause(both.remaining, both.signal)
      wishes.delete(over)
      look()
    },
    films(now) {
      isFilming = now
      look()
    },
    async take() {
      const mine = waiting
      waiting = null
      try {
        return (await mine?.server) ?? null
      } catch (error) {
        log.info({ err: error }, 'the standby video server did not start')
        return null
      }
    },
    stop() {
      for (const over of wishes) over.abort()
      wishes.clear()
      look()
    },
  }
}
