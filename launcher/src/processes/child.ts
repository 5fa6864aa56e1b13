/** A child process: its output, its exit and how to stop it. Used for every program that `up` runs. */
import { spawn } from 'node:child_process'
import { closeSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { identify } from './identity.js'
import { openLog, tailLog } from './log-file.js'
import { removeRecord, writeRecord } from './record.js'
import { politeStop, stopProcess, type StopStep } from './stop.js'

export type ExitCause = number | NodeJS.Signals

export interface Running {
  readonly pid: number
  /** Resolves with the exit code or the signal's name when the process has ended. Never rejects. */
  readonly exited: Promise<ExitCause>
  /** The last lines of its output. */
  tail(): string[]
  /** Stops the process and waits for its end. Idempotent. */
  stop(): Promise<void>
}

export interface ChildOptions {
  command: string
  args: readonly string[]
  env: NodeJS.ProcessEnv
  cwd: string
  /**
   * The target of stdout and stderr: a file, which the program writes itself and continues to write after the end of
   * this process; or a function that gets each line.
   */
  output: string | ((line: string) => void)
  /** The file that records the process; see `record.ts`. */
  recordFile: string
  uid?: number | undefined
  gid?: number | undefined
  stopSteps?: readonly StopStep[] | undefined
}

/**
 * Starts a program and records it.
 * @throws Error when it cannot start.
 */
export async function startChild(options: ChildOptions): Promise<Running> {
  const { output } = options
  const log = typeof output === 'string' ? openLog(output) : undefined
  const child = spawn(options.command, options.args, {
    cwd: options.cwd,
    env: options.env,
    stdio: ['ignore', log ?? 'pipe', log ?? 'pipe'],
    // The process gets a separate group: Ctrl-C in the terminal reaches only `up`, which then stops all
    // programs in order.
    detached: true,
    ...(options.uid === undefined ? {} : { uid: options.uid }),
    ...(options.gid === undefined ? {} : { gid: options.gid }),
  })
  if (log !== undefined) closeSync(log)
  const lines: string[] = []
  for (const stream of [child.stdout, child.stderr]) {
    if (!stream || typeof output === 'string') continue
    createInterface({ input: stream, crlfDelay: Infinity }).on('line', (line) => {
      lines.push(line)
      if (lines.length > 20) lines.shift()
      output(line)
    })
  }
  const exited = new Promise<ExitCause>((resolve) => {
    child.once('exit', (code, signal) => {
      removeRecord(options.recordFile)
      resolve(code ?? signal ?? 1)
    })
  })
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve)
    child.once('error', (cause) => reject(new Error(`cannot start ${options.command}: ${cause.message}`)))
  })
  const pid = child.pid
  if (pid === undefined) throw new Error(`cannot start ${options.command}`)
  const identity = writeRecord(options.recordFile, pid) ?? identify(pid)
  let stopping: Promise<void> | undefined
  return {
    pid,
    exited,
    tail: () => (typeof output === 'string' ? tailLog(output) : lines),
    stop() {
      stopping ??= (async () => {
        if (identity) await stopProcess(identity, options.stopSteps ?? politeStop)
        await exited
      })()
      return stopping
    },
  }
}

/**
 * Polls `answers` until it returns true.
 * @throws Error with the program's last lines when the program ends first or does not answer before the
 * deadline (the program is then stopped).
 */
export async function waitUntil(
  name: string,
  running: Running,
  timeoutMs: number,
  answers: () => Promise<boolean>,
): Promise<void> {
  const end = performance.now() + timeoutMs
  let ended: ExitCause | undefined
  void running.exited.then((cause) => (ended = cause))
  for (let pause = 10; performance.now() < end; pause = Math.min(pause * 1.5, 200)) {
    if (await answers()) return
    if (ended !== undefined) throw new StartFailed(name, `ended (${ended}) while starting`, running.tail())
    await new Promise((resolve) => setTimeout(resolve, pause))
  }
  await running.stop()
  throw new StartFailed(name, `was not ready within ${timeoutMs / 1000} s`, running.tail())
}

export class StartFailed extends Error {
  constructor(
    readonly program: string,
    what: string,
    /** The last lines of its output. */
    readonly tail: readonly string[],
  ) {
    super(`${program} ${what}`)
    this.name = 'StartFailed'
  }
}
