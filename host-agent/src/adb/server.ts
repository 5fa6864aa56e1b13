/**
 * Runs one adb server as a child process in the foreground, with a separate Unix socket, and restarts it with a capped
 * back-off when it ends or hangs. Never uses or stops another adb server. Used by `servers.ts`.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, rmSync } from 'node:fs'
import { DeadlineExceeded, pause, Progress, type Logger } from '@phonerack/shared'
import { keepRunning } from '../base/keep-running.js'
import { createLastLine } from '../base/last-line.js'
import { later } from '../base/later.js'
import { AdbClient } from './client.js'
import { adbKeyFolder, ensureAdbKey } from './key.js'
import { endProcess, markProcess, unmarkProcess } from './process-identity.js'
import { adbHome, adbMarkPath, adbSocketDir, adbSocketPath, isListening } from './sockets.js'

/** The phones of a server: all phones on USB, one phone on USB, or one network phone. */
export type ServedPhones =
  | { kind: 'all_usb' }
  /** Requires an adb that supports `--one-device`. */
  | { kind: 'usb'; serial: string }
  /** `serial`: `host:port`. */
  | { kind: 'network'; serial: string }

export interface AdbServerOptions {
  /** Path or name of the adb program. */
  bin: string
  /** Contains the sockets, the keys and the marks of the running servers. */
  dataDir: string
  /** Default: all phones on USB. */
  serves?: ServedPhones
  /** Default: a new client. A phone on USB that returns keeps its client. */
  client?: AdbClient
  /** Creates the key that all servers of the folder share. Default: `ensureAdbKey`. */
  ensureKey?: () => Promise<void>
  /** Replaces the product's times in tests. */
  answers?: AnswerTimes
  log: Logger
}

/** Milliseconds after which a server counts as hanging. */
interface AnswerTimes {
  everyMs: number
  limitMs: number
}

export interface AdbServer {
  readonly client: AdbClient
  /** Process ID of the server; null while it does not run. */
  readonly pid: number | null
  /** Why the server does not run, for the operator; null while it runs. */
  readonly trouble: string | null
  /** Stops the server that this agent started. */
  stop(): Promise<void>
}

const backoffMs = { first: 100, cap: 5000 }
const startMs = 10_000
/** The number of consecutive unanswered checks after which a server is killed and started again. */
const mostSilent = 3
const answerTimes: AnswerTimes = { everyMs: 5000, limitMs: 4000 }
/** Milliseconds in which the output of an ended server is still read. */
const lastOutputMs = 500

/** Returns the serial in the names of a server's files; null for the server of all phones on USB. */
export const serialOf = (serves: ServedPhones): string | null =>
  serves.kind === 'all_usb' ? null : serves.serial

/** Creates the folders of the servers. Access to a socket gives access to its phones. */
export function makeAdbFolders(dataDir: string): void {
  for (const dir of [adbHome(dataDir), adbSocketDir(dataDir)]) {
    mkdirSync(dir, { recursive: true, mode: 0o700 })
    chmodSync(dir, 0o700)
  }
}

/** Starts the server. Returns once it answers, or after the first attempt failed; retries until `stop`. */
export async function startAdbServer(options: AdbServerOptions): Promise<AdbServer> {
  const { bin, dataDir, serves = { kind: 'all_usb' } } = options
  const home = adbHome(dataDir)
  const { ensureKey = () => ensureAdbKey(bin, home) } = options
  const serial = serialOf(serves)
  const path = adbSocketPath(dataDir, serial)
  const mark = adbMarkPath(dataDir, serial)
  const log = serial === null ? options.log : options.log.child({ serial })
  const { client = new AdbClient(path) } = options
  makeAdbFolders(dataDir)
  const stopping = new AbortController()
  const stopped = () => stopping.signal.aborted
  let child: ChildProcess | null = null
  let trouble: string | null = 'the server has not started yet'

  /** Runs one server until it ends. Calls `onUp` once the server answers. Returns the reason for its end. */
  async function runOnce(onUp: () => void): Promise<string> {
    try {
      await ensureKey()
    } catch (err) {
      // The start of the server also reports a fault of the program.
      log.debug({ err }, 'the adb key could not be created')
    }
    if (await isListening(path)) return `${path} is in use by an unknown process`
    if (stopped()) return 'stopped'
    // The next server does not start while the socket of a killed server exists.
    rmSync(path, { force: true })
    client.onServerStart()
    const [program, args] = endingWithAgent(bin, [
      ...['-L', `localfilesystem:${path}`],
      ...(serves.kind === 'usb' ? ['--one-device', serves.serial] : []),
      ...['nodaemon', 'server'],
    ])
    const started = spawn(program, args, {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: serverEnvironment(home, serves),
    })
    child = started
    const lastLine = createLastLine()
    started.stdout.on('data', lastLine.add)
    started.stderr.on('data', lastLine.add)
    const describeEnd = (how: string): string =>
      notFound.test(lastLine.text)
        ? `${bin} could not be started: ${lastLine.text}`
        : `ended with ${how}: ${lastLine.text}`
    const ended = new Promise<string>((resolve) => {
      started.once('error', (error) => resolve(`${bin} could not be started: ${error.message}`))
      started.once('exit', (code, signal) => {
        const end = () => resolve(describeEnd(signal ?? `code ${String(code)}`))
        // Output can still be unread at `exit`; `close` does not come while a child of the server holds the pipes.
        started.once('close', end)
        setTimeout(end, lastOutputMs).unref()
      })
    })
    if (started.pid !== undefined) markProcess(mark, started.pid)
    const up = waitUntilUp(
      client,
      () => started.exitCode !== null || started.signalCode !== null,
      stopping.signal,
    )
    const first = await Promise.race([ended, up])
    if (first === 'up') {
      // The mark is stored again, because between fork and exec the process still had the identity of the
      // agent.
      if (started.pid !== undefined) markProcess(mark, started.pid)
      onUp()
    } else if (first === 'silent') {
      started.kill('SIGKILL')
    }
    const isHung = first === 'up' && (await killWhenHung(started, ended))
    const reason = await ended
    child = null
    unmarkProcess(mark)
    if (isHung) return `did not answer ${mostSilent} times in a row`
    return first === 'silent' ? `did not answer within ${startMs} ms` : reason
  }

  /** Resolves at the end of the server. Returns whether it was killed because it hung. */
  async function killWhenHung(started: ChildProcess, ended: Promise<string>): Promise<boolean> {
    const over = new AbortController()
    void ended.then(() => over.abort())
    const isHung = await untilHung(
      client,
      options.answers ?? answerTimes,
      AbortSignal.any([over.signal, stopping.signal]),
    )
    if (isHung) started.kill('SIGKILL')
    return isHung
  }

  const firstTry = later<undefined>()
  const runAndReport = async (): Promise<'again' | 'done'> => {
    const reason = await runOnce(() => {
      trouble = null
      log.info({ path, pid: child?.pid }, 'an adb server runs')
      firstTry.resolve(undefined)
    })
    if (stopped()) return 'done'
    trouble = reason
    log.error({ path, reason }, 'an adb server does not run')
    firstTry.resolve(undefined)
    return 'again'
  }
  const watching = keepRunning(runAndReport, { signal: stopping.signal, pauses: backoffMs, steadyMs: 30_000 })
  // `watching` rejects only on a bug, which ends the agent.
  await Promise.race([firstTry.promise, watching])

  return {
    client,
    get pid() {
      return child?.pid ?? null
    },
    get trouble() {
      return trouble
    },
    async stop() {
      stopping.abort()
      const pid = child?.pid
      if (pid !== undefined) await endProcess(pid)
      await watching
      unmarkProcess(mark)
      rmSync(path, { force: true })
    },
  }
}

/**
 * The program of util-linux through which the kernel ends the server when the agent is killed. On other systems, the
 * next start ends the server.
 */
const setpriv = '/usr/bin/setpriv'
const notFound = /^setpriv: failed to execute/

const endingWithAgent = (bin: string, args: string[]): [program: string, args: string[]] =>
  process.platform === 'linux' && existsSync(setpriv)
    ? [setpriv, ['--pdeathsig', 'TERM', '--', bin, ...args]]
    : [bin, args]

/** Only the variables that the server needs: the agent's environment contains secrets. */
function serverEnvironment(home: string, serves: ServedPhones): NodeJS.ProcessEnv {
  const { PATH, TMPDIR, LANG } = process.env
  return {
    PATH,
    TMPDIR,
    LANG,
    HOME: home,
    ADB_VENDOR_KEYS: adbKeyFolder(home),
    // A phone on USB belongs to the first server that opens the phone.
    ...(serves.kind === 'network' ? { ADB_USB: '0' } : {}),
    // Prevents the search for emulators on local ports, which would list phones twice.
    ADB_LOCAL_TRANSPORT_MAX_PORT: '5554',
    ADB_EMU: '0',
    ADB_MDNS: '0',
    ADB_MDNS_AUTO_CONNECT: '0',
  }
}

/**
 * Whether the server stopped answering before `signal` aborts. A refused or broken connection does not count
 * as a hang.
 */
async function untilHung(client: AdbClient, times: AnswerTimes, signal: AbortSignal): Promise<boolean> {
  const over = () => signal.aborted
  let silent = 0
  while (silent < mostSilent) {
    await pause(times.everyMs, signal)
    if (over()) return false
    try {
      await client.version(Progress.for(times.limitMs, signal))
      silent = 0
    } catch (error) {
      if (!(error instanceof Error)) throw error
      silent = error instanceof DeadlineExceeded ? silent + 1 : 0
    }
  }
  return !over()
}

async function waitUntilUp(
  client: AdbClient,
  dead: () => boolean,
  stopped: AbortSignal,
): Promise<'up' | 'silent' | 'gone'> {
  const progress = Progress.for(startMs)
  while (!progress.expired && !stopped.aborted && !dead()) {
    try {
      await client.version(progress.within(1000))
      return dead() ? 'gone' : 'up'
    } catch (error) {
      if (!(error instanceof Error)) throw error
    }
    await Progress.for(1000).sleep(25)
  }
  return progress.expired ? 'silent' : 'gone'
}
