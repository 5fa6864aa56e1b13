/** Restarts work that ends, with growing pauses. Used by the keepers of servers and connections. */
import { pause } from '@phonerack/shared'

export interface KeepRunningOptions {
  /** Ends the loop when the signal aborts. */
  signal: AbortSignal
  /** Milliseconds. The pause doubles after each run, from `first` to `cap`. */
  pauses: { first: number; cap: number }
  /** Milliseconds. After a run that lasted longer, the pause is `first` again. Default: never. */
  steadyMs?: number
  /** The clock, for tests. */
  clock?: { now: () => number; pause: (ms: number, signal: AbortSignal) => Promise<void> }
}

const realClock = { now: () => performance.now(), pause }

/**
 * Calls `run` until it returns `done` or `signal` aborts. Rejects with an error that `run` throws, so `run`
 * must catch errors that a restart may resolve.
 */
export async function keepRunning(
  run: () => Promise<'again' | 'done'>,
  { signal, pauses, steadyMs = Infinity, clock = realClock }: KeepRunningOptions,
): Promise<void> {
  let pauseMs = pauses.first
  const isOver = (): boolean => signal.aborted
  while (!isOver()) {
    const startedAt = clock.now()
    if ((await run()) === 'done' || isOver()) return
    if (clock.now() - startedAt > steadyMs) pauseMs = pauses.first
    await clock.pause(pauseMs, signal)
    pauseMs = Math.min(pauseMs * 2, pauses.cap)
  }
}
