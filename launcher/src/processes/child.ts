/** A program that we started: its output by lines, its end, and how to stop it. Used for every program `up` runs. */
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { identify } from './identity.js'
import { removeRecord, writeRecord } from './record.js'
import { politeStop, stopProcess, type StopStep } from './stop.js'

export interface Running {
  readonly pid: number
  /** Resolves when the process has ended: its exit code, or the signal's name. Never rejects. */
  readonly exited: Promise<number | NodeJS.Signals>
  /** Ends it and waits for that. Twice is the same as once. */
  stop(): Promise<void>
}

export interface ChildOptions {
  command: string
  args: readonly string[]
  env: NodeJS.ProcessEnv
  cwd: string
  /** Gets each line of stdout and stderr. */
  log: (line: string) => void
  /** Where the process is recorded; see `record.ts`. */
  recordFile: string
  uid?: number | undefined
  gid?: number | undefined
  stopSteps?: readonly StopStep[] | undefined
}

/**
 * Starts a program and records it.
 * @throws Error when it cannot be started at all.
 */
export async function startChild(options: ChildOptions): Promise<Running> {
  const child = spawn(options.command, options.args, {
    cwd: options.cwd,
    env: options.env,
    stdio: ['ignore', 'pipe', 'pipe'],
    // Its own process group: Ctrl-C in the terminal reaches `up` alone, which then stops all in order.
    detached: true,
    ...(options.uid === undefined ? {} : { uid: options.uid }),
    ...(options.gid === undefined ? {} : { gid: options.gid }),
  })
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream, crlfDelay: Infinity }).on('line', options.log)
  }
  const exited = new Promise<number | NodeJS.Signals>((resolve) => {
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
    stop() {
      stopping ??= (async () => {
        if (identity) await stopProcess(identity, options.stopSteps ?? politeStop)
        await exited
      })()
      return stopping
    },
  }
}
