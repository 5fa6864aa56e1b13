/** Runs programs of the checkout in the network namespaces of a test. */
import { execFile, execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { promisify } from 'node:util'
import { firstLine } from './first-line.js'
import { root } from './system.js'

const run = promisify(execFile)

/** Runs the program `ip`. @throws Error when it fails */
export const ip = (...args: string[]): unknown => execFileSync('ip', args, { stdio: 'pipe' })

export interface StartOptions {
  env?: NodeJS.ProcessEnv
  /** Waits for a line with this text in the output. */
  until?: RegExp
  /** The program; default: Node.js. */
  program?: string
}

export interface Started {
  line: string
  process: ChildProcess
}

/** `Machine`: the names of the machines, each of which is a namespace. */
export class NamespacePrograms<Machine extends string> {
  private readonly started: ChildProcess[] = []

  constructor(private readonly namespace: (machine: Machine) => string) {}

  /** Starts a program on a machine, and waits for a line of its output. */
  async start(
    machine: Machine,
    args: readonly string[],
    { env = {}, until = /./, program = process.execPath }: StartOptions = {},
  ): Promise<Started> {
    const child = spawn(...this.within(machine, program, args), {
      cwd: root,
      env: { PATH: process.env['PATH'], ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    this.started.push(child)
    const { line } = await firstLine(args.join(' '), child, until)
    return { line, process: child }
  }

  /** Runs a program to its end. Returns the program's standard output. */
  async call(
    machine: Machine,
    args: readonly string[],
    env: NodeJS.ProcessEnv = {},
    input = '',
  ): Promise<string> {
    const promise = run(...this.within(machine, process.execPath, args), {
      cwd: root,
      env: { PATH: process.env['PATH'], ...env },
      timeout: 120_000,
    })
    promise.child.stdin?.end(input)
    return (await promise).stdout
  }

  /** Ends the programs that still run, the last started program first. */
  async end(): Promise<void> {
    for (const child of this.started.toReversed()) {
      if (child.exitCode !== null || child.signalCode !== null) continue
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      await ended
    }
  }

  private within(machine: Machine, program: string, args: readonly string[]): [string, string[]] {
    return ['ip', ['netns', 'exec', this.namespace(machine), program, ...args]]
  }
}
