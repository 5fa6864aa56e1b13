/**
 * Keeps one UI server running on a phone from `start` to `stop`: installs its two APKs, verifies that the
 * server is unreachable from outside, watches it, and restarts it when it ends or stops answering. The tree
 * (`tree.ts`) takes its session from here.
 */
import { DeadlineExceeded, Progress, type Logger, pause } from '@phonerack/shared'
import type { Transport } from '../../adb/transport.js'
import { DeviceGone, InvalidAnswer } from '../../base/device-gone.js'
import { installPart } from '../../adb/parts/install.js'
import { uiServer, uiServerTest } from '../../adb/parts/parts.js'
import { UiServerDown } from './http.js'
import { runUiServer, type UiServerRun } from './instrumentation.js'
import { readIsolation } from './network.js'
import { isReady, type UiSession } from './session.js'

/** The server does not run and will not start within seconds. `message` gives the reason. */
export class UiServerUnavailable extends Error {
  constructor(reason: string) {
    super(reason)
    this.name = 'UiServerUnavailable'
  }
}

export interface UiServerKeeper {
  /**
   * Installs the parts when needed and starts the server.
   * @throws UiServerUnavailable where the server must not run
   */
  start(progress: Progress): Promise<void>
  /**
   * Passes the session of the running server to `work`; waits up to 3 s for a restart.
   * @throws UiServerUnavailable before anything was sent; UiServerDown, DeadlineExceeded, DeviceGone
   */
  use<T>(work: (session: UiSession, progress: Progress) => Promise<T>, progress: Progress): Promise<T>
  /** Like `use`, for a read. Ends a server that has not answered after `limitMs`, and throws UiServerDown. */
  read<T>(
    limitMs: number,
    work: (session: UiSession, progress: Progress) => Promise<T>,
    progress: Progress,
  ): Promise<T>
  /**
   * Runs work that needs exclusive use of the phone's UiAutomation, while no server runs or starts. A start can take
   * longer than `progress`: then the work does not begin. @throws DeadlineExceeded
   */
  whileStopped<T>(work: () => Promise<T>, progress: Progress): Promise<T>
  /** Why the server's port is unreachable from outside, as text for people. */
  readonly outOfReach: string
  stop(): void
}

const keeperTimes = {
  firstRestartMs: 50,
  restartCapMs: 5000,
  /** Milliseconds for which a caller waits for a restart. */
  waitMs: 3000,
  startMs: 30_000,
  watchMs: 5000,
  statusMs: 2000,
  recycleMs: 4 * 3600_000,
  recycleRequests: 20_000,
  /** After this many consecutive failed starts, callers stop waiting for a while. */
  circuitStarts: 5,
  circuitMs: 60_000,
  /** A run of this length counts as a success. */
  steadyMs: 30_000,
} as const

interface UiServerParts {
  transport: Transport
  /** Whether the operator declares that no other machine can reach this host's phones over a network. */
  isolated: boolean
  log: Logger
}

export function createUiServerKeeper({ transport, isolated, log }: UiServerParts): UiServerKeeper {
  let current: UiServerRun | null = null
  let running: AbortController | null = null
  /** Why callers do not wait: the circuit is open, or the server must not run. */
  let unavailable: string | null = 'the UI server was not started'
  let waiters = new Set<() => void>()
  let inFlight = 0
  let requests = 0
  let last: Promise<unknown> = Promise.resolve()

  /** Serialises starts and other uses: only one may own the UiAutomation. */
  function exclusively<T>(work: () => Promise<T>): Promise<T> {
    const mine = last.then(work)
    // The caller of `mine` gets the error of its own work.
    last = mine.catch(ignore)
    return mine
  }

  const wake = () => {
    const woken = waiters
    waiters = new Set()
    for (const waiter of woken) waiter()
  }

  const live = () => (current !== null && !current.over ? current : null)

  async function assertAllowed(progress: Progress): Promise<void> {
    if (isolated) return
    const found = await readIsolation(transport, progress)
    if (!found.isolated) throw new UiServerUnavailable(found.reason)
  }

  async function startOnce(progress: Progress, signal: AbortSignal): Promise<void> {
    const aborted = () => signal.aborted
    await exclusively(async () => {
      if (aborted()) throw new DeviceGone(transport.serial)
      const pinned = transport.pinned()
      await assertAllowed(progress)
      for (const part of [uiServer, uiServerTest]) await installPart(pinned, part, progress)
      const run = await runUiServer(pinned, progress)
      if (aborted()) {
        run.close('stopped')
        throw new DeviceGone(transport.serial)
      }
      current = run
      requests = 0
      unavailable = null
    })
    wake()
  }

  /**
   * Starts, watches and restarts the server until `signal` aborts. Reports the outcome of the first start.
   */
  async function keep(
    signal: AbortSignal,
    first: Progress,
    onFirst: (failure: Error | null) => void,
  ): Promise<void> {
    const aborted = () => signal.aborted
    let failures = 0
    let wait: number = keeperTimes.firstRestartMs
    let progress = first
    while (!aborted()) {
      try {
        await startOnce(progress, signal)
        onFirst(null)
        const run = live()
        if (run) {
          const reason = await watch(run, signal)
          if (aborted()) return
          log.warn({ reason }, 'the UI server stopped and is restarted')
          if (performance.now() - run.startedAt > keeperTimes.steadyMs) {
            failures = 0
            wait = keeperTimes.firstRestartMs
          }
        }
      } catch (error) {
        if (!(error instanceof Error)) throw error
        onFirst(error)
        if (aborted()) return
        // For a phone that has disconnected permanently, `stop` ends this loop.
        log.warn({ err: error }, 'the UI server did not start')
        if (error instanceof UiServerUnavailable) unavailable = error.message
        wake()
      }
      failures += 1
      const open = failures >= keeperTimes.circuitStarts
      if (open) unavailable ??= `the UI server failed ${failures} times in a row`
      wake()
      await pause(open ? keeperTimes.circuitMs : wait, signal)
      wait = Math.min(wait * 2, keeperTimes.restartCapMs)
      progress = Progress.for(keeperTimes.startMs, signal)
    }
  }

  /**
   * Watches the server until it ends. Ends the server when it stops answering, is too old, or the phone has joined a
   * network.
   */
  async function watch(run: UiServerRun, signal: AbortSignal): Promise<string> {
    let silent = 0
    for (;;) {
      const ended = await Promise.race([run.ended, pause(keeperTimes.watchMs, signal)])
      if (typeof ended === 'string' || signal.aborted) return ended ?? 'stopped'
      const progress = Progress.for(keeperTimes.statusMs, signal)
      try {
        await assertAllowed(progress)
        // A server that is working on an answer cannot answer the check.
        if (inFlight === 0) await isReady(transport, progress)
        silent = 0
      } catch (error) {
        if (error instanceof UiServerUnavailable) {
          unavailable = error.message
          run.close(error.message)
        } else if (isNoAnswer(error)) {
          silent += 1
          if (silent >= 2) run.close('the UI server stopped answering')
        } else if (!(error instanceof DeviceGone)) {
          run.close('the check of the UI server failed')
          throw error
        }
      }
      const old =
        performance.now() - run.startedAt > keeperTimes.recycleMs || requests > keeperTimes.recycleRequests
      if (old && inFlight === 0) run.close('the UI server reached its maximum age')
      if (run.over) return run.ended
    }
  }

  async function session(progress: Progress): Promise<UiServerRun> {
    const within = progress.within(keeperTimes.waitMs)
    for (;;) {
      const run = live()
      if (run) return run
      if (unavailable !== null) throw new UiServerUnavailable(unavailable)
      if (within.expired) throw new UiServerUnavailable('the UI server did not come back')
      try {
        await within.race('the UI server', () => new Promise<void>((resolve) => waiters.add(resolve)))
      } catch (error) {
        if (!(error instanceof DeadlineExceeded) || progress.expired) throw error
      }
    }
  }

  const keeper: UiServerKeeper = {
    async start(progress) {
      keeper.stop()
      const control = new AbortController()
      running = control
      const outcome = new Promise<Error | null>((resolve, reject) => {
        keep(control.signal, progress, resolve).catch((error: unknown) => {
          log.error({ err: error }, 'the UI server is no longer kept running')
          unavailable = 'the UI server is not kept running'
          reject(error instanceof Error ? error : new Error('unknown', { cause: error }))
        })
      })
      const failure = await progress.race('the start of the UI server', () => outcome)
      if (failure) throw failure
    },
    async use(work, progress) {
      const run = await session(progress)
      inFlight += 1
      requests += 1
      try {
        return await work(run.session, progress)
      } catch (error) {
        // The caller's request fails immediately. The stream's own end may arrive a moment later.
        if (error instanceof UiServerDown) run.close(error.message)
        throw error
      } finally {
        inFlight -= 1
      }
    },
    read: (limitMs, work, progress) =>
      keeper.use(async (used, within) => {
        try {
          return await work(used, within.within(limitMs))
        } catch (error) {
          // The server hangs: the read timed out, and the caller's deadline has not passed.
          if (error instanceof DeadlineExceeded && !within.expired) throw new UiServerDown(error)
          throw error
        }
      }, progress),
    async whileStopped(work, progress) {
      const mine = exclusively(() => {
        progress.check('the end of a start of the UI server')
        return work()
      })
      return progress.race('the end of a start of the UI server', () => mine)
    },
    outOfReach: isolated ? 'the operator marked this host as isolated' : 'the phone is on no network',
    stop() {
      running?.abort()
      running = null
      unavailable = 'the UI server was stopped'
      current?.close('stopped')
      current = null
      wake()
    },
  }
  return keeper
}

/** Without a valid answer, it is unknown whether the server is still unreachable from outside. */
const isNoAnswer = (error: unknown): boolean =>
  error instanceof UiServerDown || error instanceof DeadlineExceeded || error instanceof InvalidAnswer

const ignore = (_error: unknown): void => undefined
