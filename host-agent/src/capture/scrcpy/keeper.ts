/**
 * Keeps one scrcpy server running on a device from `start` to `stop`: pushes the jar, starts the server, and restarts it with
 * growing pauses when it dies. The input and text capabilities get their socket from it.
 */
import { Progress, type Logger } from '@phonerack/shared'
import { commandWith } from '../../adb/quote.js'
import type { Transport } from '../../adb/transport.js'
import { keepRunning, type KeepRunningOptions } from '../../base/keep-running.js'
import { DeviceGone, isDisconnect } from '../../base/device-gone.js'
import { run } from '../../adb/device/run.js'
import { openControlSocket, type ControlSocket } from './control-socket.js'
import { requireJar, type Jar } from './jar.js'
import { putJar, serverCommand } from './server-process.js'

export interface ScrcpyKeeper {
  /** Pushes the jar when needed and starts the server. Returns once it answers. */
  start(progress: Progress): Promise<ControlSocket>
  /**
   * Returns the running server's socket; waits for a restart for up to 3 s. @throws DeviceGone before any byte was sent
   */
  socket(progress: Progress): Promise<ControlSocket>
  /** The running server's socket, or null. Never waits. */
  readonly current: ControlSocket | null
  /**
   * Returns the list of apps with an icon, printed by a separate short-lived server. @throws ApiError provider_error;
   * feature_unavailable on a host without the server
   */
  listApps(progress: Progress): Promise<string>
  stop(): void
}

/** Milliseconds. The longest pause (`cap`) is shorter than the time that a request waits for a socket (`wait`). */
const restartMs = { first: 50, cap: 2500, steady: 30_000, wait: 3000, start: 10_000 }

/** `clock`: for tests. */
export function createScrcpyKeeper(
  transport: Transport,
  jar: Jar | null,
  log: Logger,
  clock?: KeepRunningOptions['clock'],
): ScrcpyKeeper {
  let current: ControlSocket | null = null
  let starting: Promise<ControlSocket> | null = null
  let running: AbortController | null = null

  async function startOnce(progress: Progress, signal: AbortSignal): Promise<ControlSocket> {
    const pinned = transport.pinned()
    const jarPath = await putJar(pinned, requireJar(jar), progress)
    const control = await openControlSocket(pinned, jarPath, log, progress)
    if (signal.aborted) {
      control.close()
      throw new DeviceGone(transport.serial)
    }
    current = control
    return control
  }

  /** Restarts the server whenever it ends. Returns after `stop`, or once the device disconnects: `start` is then called again. */
  function keep(first: ControlSocket, signal: AbortSignal): Promise<void> {
    let running: ControlSocket | null = first
    const runOnce = async (): Promise<'again' | 'done'> => {
      try {
        running ??= await restart(signal)
      } catch (error) {
        if (signal.aborted) return 'done'
        log.warn({ err: error }, 'the scrcpy server did not restart')
        return isDisconnect(error) ? 'done' : 'again'
      }
      const reason = await running.ended
      if (current === running) current = null
      running = null
      if (!signal.aborted) log.warn({ reason }, 'the scrcpy server stopped and is restarted')
      return 'again'
    }
    return keepRunning(runOnce, {
      signal,
      pauses: restartMs,
      steadyMs: restartMs.steady,
      ...(clock ? { clock } : {}),
    })
  }

  async function restart(signal: AbortSignal): Promise<ControlSocket> {
    try {
      starting = startOnce(Progress.for(restartMs.start, signal), signal)
      return await starting
    } finally {
      starting = null
    }
  }

  const live = () => (current !== null && !current.closed ? current : null)

  const keeper: ScrcpyKeeper = {
    get current() {
      return live()
    },
    async start(progress) {
      keeper.stop()
      const control = new AbortController()
      running = control
      const first = await startOnce(progress, control.signal)
      void keep(first, control.signal)
      return first
    },
    async socket(progress) {
      const now = live()
      if (now) return now
      if (!running || running.signal.aborted) throw new DeviceGone(transport.serial)
      const within = progress.within(restartMs.wait)
      while (!within.expired) {
        const found = live()
        if (found) return found
        if (starting) await within.race('restart of the scrcpy server', () => settled(starting))
        else await within.sleep(20, 'restart of the scrcpy server')
      }
      throw new DeviceGone(transport.serial, new Error('the scrcpy server did not come back'))
    },
    async listApps(progress) {
      const pinned = transport.pinned()
      const jarPath = await putJar(pinned, requireJar(jar), progress)
      const options = ['log_level=info', 'list_apps=true', 'cleanup=false']
      return run(pinned, commandWith({ CLASSPATH: jarPath }, ...serverCommand, ...options), progress)
    },
    stop() {
      running?.abort()
      running = null
      current?.close()
      current = null
    },
  }
  return keeper
}

/** Waits for an attempt to settle; the caller checks the outcome. */
const settled = async (work: Promise<unknown> | null): Promise<void> => {
  await Promise.allSettled([work])
}
