/**
 * Keeps one scrcpy server running on a device from `start` to `stop`: pushes the jar,
 * starts the server, and restarts it when it dies. The input and text capabilities take
 * their socket from here.
 */
import { Progress, type Logger } from '@phonerack/shared'
import { commandWith } from '../adb/quote.js'
import type { Transport } from '../adb/transport.js'
import { keepRunning } from '../base/keep-running.js'
import { DeviceGone } from '../device/device.js'
import { run } from '../device/run.js'
import { openControlSocket, type ControlSocket } from './control-socket.js'
import type { Jar } from './jar.js'
import { jarPathOf, putJar, serverCommand } from './server-process.js'

export interface ScrcpyKeeper {
  /** Pushes the jar when needed and starts the server. Returns once it answers. */
  start(progress: Progress): Promise<ControlSocket>
  /**
   * The running server's socket; waits for a restart for up to 3 s. @throws DeviceGone
   * before any byte was sent
   */
  socket(progress: Progress): Promise<ControlSocket>
  /** The running server's socket, or null. Never waits. */
  readonly current: ControlSocket | null
  /**
   * The list of apps with an icon, printed by a separate short-lived server. @throws
   * ApiError provider_error
   */
  listApps(progress: Progress): Promise<string>
  stop(): void
}

const restartMs = { first: 50, cap: 5000, wait: 3000, start: 10_000 }

export function createScrcpyKeeper(transport: Transport, jar: Jar, log: Logger): ScrcpyKeeper {
  const jarPath = jarPathOf(jar)
  let current: ControlSocket | null = null
  let starting: Promise<ControlSocket> | null = null
  let running: AbortController | null = null

  async function startOnce(progress: Progress, signal: AbortSignal): Promise<ControlSocket> {
    const pinned = transport.pinned()
    await putJar(pinned, jar, progress)
    const control = await openControlSocket(pinned, jarPath, log, progress)
    if (signal.aborted) {
      control.close()
      throw new DeviceGone(transport.serial)
    }
    current = control
    void control.ended.then((reason) => {
      if (current === control) current = null
      if (signal.aborted) return
      log.warn({ reason }, 'scrcpy server stopped; restarting it')
      return restart(signal)
    })
    return control
  }

  // After `stop`, and after the device disconnects, the supervisor calls `start` again.
  const restart = (signal: AbortSignal): Promise<void> =>
    keepRunning(() => tryRestart(signal), { signal, pauses: restartMs })

  async function tryRestart(signal: AbortSignal): Promise<'again' | 'done'> {
    try {
      starting = startOnce(Progress.for(restartMs.start, signal), signal)
      await starting
      return 'done'
    } catch (error) {
      if (signal.aborted) return 'done'
      log.warn({ err: error }, 'scrcpy server did not restart')
      return error instanceof DeviceGone ? 'done' : 'again'
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
      return startOnce(progress, control.signal)
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
      await putJar(pinned, jar, progress)
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
