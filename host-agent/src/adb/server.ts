/**
 * Runs the agent's own adb server as a child process in the foreground, with a separate Unix socket and separate keys, and
 * restarts it with a capped back-off. Never uses or stops another adb server. docs/decisions/0097. Started by `main.ts`.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Progress, type Logger } from '@phonerack/shared'
import { keepRunning } from '../base/keep-running.js'
import { createLastLine } from '../base/last-line.js'
import { later } from '../base/later.js'
import { AdbClient } from './client.js'
import { isFull } from './connection.js'
import { findMarked, isRunning, markProcess, processIdentity, unmarkProcess } from './process-identity.js'

export interface AdbServerOptions {
  /** Path or name of the adb program. */
  bin: string
  /** Contains the socket, the keys and the mark of the running server. */
  dataDir: string
  log: Logger
}

export interface AdbServer {
  readonly client: AdbClient
  /** Process id of the server; null while it does not run. */
  readonly pid: number | null
  /** Why it does not run, for the operator; null while it runs. */
  readonly trouble: string | null
  /** Stops the server that this agent started. */
  stop(): Promise<void>
}

const backoffMs = { first: 100, cap: 5000 }
const startMs = 10_000
/** Milliseconds in which the output of an ended server is still read. */
const lastOutputMs = 500
/** Bytes of a Unix socket's path; the limit of macOS is the lowest. */
const longestPath = 103

/** The server's socket: in the data folder, or in the temporary folder when that path is too long. */
export function adbSocketPath(dataDir: string): string {
  const own = join(dataDir, 'adb', 'server.sock')
  if (Buffer.byteLength(own) <= longestPath) return own
  const name = createHash('sha256').update(dataDir).digest('hex').slice(0, 16)
  return join(tmpdir(), `phonerack-${name}`, 'adb.sock')
}

/** Starts the server. Returns once it answers, or after the first attempt failed; retries until `stop`. */
export async function startAdbServer(options: AdbServerOptions): Promise<AdbServer> {
  const { log } = options
  const home = join(options.dataDir, 'adb')
  const mark = join(home, 'server.json')
  mkdirSync(home, { recursive: true, mode: 0o700 })
  const path = adbSocketPath(options.dataDir)
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  // Access to the socket is access to every phone.
  chmodSync(dirname(path), 0o700)
  const client = new AdbClient(path)
  const stopping = new AbortController()
  const stopped = () => stopping.signal.aborted
  let child: ChildProcess | null = null
  let trouble: string | null = 'not started yet'

  async function endLeftover(): Promise<void> {
    const pid = findMarked(mark)
    if (pid !== null) {
      log.warn({ pid }, 'stopping the adb server of an earlier run of this agent')
      await endProcess(pid)
      // Its threads can hold the socket for a moment after the process has disappeared.
      for (let waited = 0; waited < 2000 && (await isListening(path)); waited += 20) await delay(20)
    }
    unmarkProcess(mark)
  }

  /** Runs one server until it ends. Calls `onUp` once it answers. Returns why it ended. */
  async function runOnce(onUp: () => void): Promise<string> {
    await endLeftover()
    if (await isListening(path)) return `${path} is in use by an unknown process`
    // The next server does not start while the socket of a killed one exists.
    rmSync(path, { force: true })
    client.onServerStart()
    const [program, args] = endingWithAgent(options.bin, [
      '-L',
      `localfilesystem:${path}`,
      'nodaemon',
      'server',
    ])
    const started = spawn(program, args, {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: serverEnvironment(home),
    })
    child = started
    const lastLine = createLastLine()
    started.stdout.on('data', lastLine.add)
    started.stderr.on('data', lastLine.add)
    const describeEnd = (how: string): string =>
      notFound.test(lastLine.text)
        ? `${options.bin} could not be started: ${lastLine.text}`
        : `ended with ${how}: ${lastLine.text}`
    const ended = new Promise<string>((resolve) => {
      started.once('error', (error) => resolve(`${options.bin} could not be started: ${error.message}`))
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
      // Stored again: between fork and exec, the identity was that of the agent.
      if (started.pid !== undefined) markProcess(mark, started.pid)
      onUp()
    } else if (first === 'silent') {
      started.kill('SIGKILL')
    }
    const reason = await ended
    child = null
    unmarkProcess(mark)
    return first === 'silent' ? `did not answer within ${startMs} ms` : reason
  }

  const firstTry = later<undefined>()
  const runAndReport = async (): Promise<'again' | 'done'> => {
    const reason = await runOnce(() => {
      trouble = null
      log.info({ path, pid: child?.pid }, 'adb server running')
      firstTry.resolve(undefined)
    })
    if (stopped()) return 'done'
    trouble = reason
    log.error({ path, reason }, 'adb server unavailable')
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
    },
  }
}

/** The program of util-linux through which the kernel ends the server when the agent is killed; elsewhere the next start does. */
const setpriv = '/usr/bin/setpriv'
const notFound = /^setpriv: failed to execute/

const endingWithAgent = (bin: string, args: string[]): [program: string, args: string[]] =>
  process.platform === 'linux' && existsSync(setpriv)
    ? [setpriv, ['--pdeathsig', 'TERM', '--', bin, ...args]]
    : [bin, args]

/** Only the variables that the server needs: the agent's environment contains secrets. */
function serverEnvironment(home: string): NodeJS.ProcessEnv {
  const { PATH, TMPDIR, LANG } = process.env
  return {
    PATH,
    TMPDIR,
    LANG,
    HOME: home,
    ADB_VENDOR_KEYS: join(home, '.android'),
    // Without a search for emulators on local ports, which would list phones twice.
    ADB_LOCAL_TRANSPORT_MAX_PORT: '5554',
    ADB_EMU: '0',
    ADB_MDNS: '0',
    ADB_MDNS_AUTO_CONNECT: '0',
  }
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
    await delay(25)
  }
  return progress.expired ? 'silent' : 'gone'
}

const delay = (ms: number): Promise<void> => Progress.for(ms + 1000).sleep(ms)

function isListening(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = connect({ path })
    const settle = (answer: boolean) => {
      probe.destroy()
      resolve(answer)
    }
    probe.once('connect', () => settle(true))
    probe.once('error', (error) => settle(isFull(error)))
  })
}

/** Sends SIGTERM, and SIGKILL after two seconds, only to the process that has this id now. */
async function endProcess(pid: number): Promise<void> {
  const identity = processIdentity(pid)
  if (identity === null) return
  const sendSignal = (signal: NodeJS.Signals) => {
    try {
      process.kill(pid, signal)
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
    }
  }
  sendSignal('SIGTERM')
  for (let waited = 0; waited < 4000; waited += 20) {
    if (!isRunning(pid, identity)) return
    if (waited === 2000) sendSignal('SIGKILL')
    await delay(20)
  }
}
