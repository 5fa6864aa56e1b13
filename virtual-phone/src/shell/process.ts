/**
 * Runs one command as a process: assigns a pid, ends the process when it is killed or its stream closes, and converts
 * exceptions to a message and an exit code. Used by `interpreter.ts`.
 */
import { BrokenPipe, type ByteSink, type ByteSource } from '../android/streams.js'
import { FsError } from '../fs/errors.js'
import { bytesOf } from './bytes.js'
import { type CommandIo, type CommandRun, type SpawnOptions, UsageError } from './command.js'
import type { Android } from '../android/android.js'

interface ProcessRequest {
  argv: readonly string[]
  run: CommandRun
  android: Android
  env: Readonly<Record<string, string>>
  cwd: string
  parent: number
  stdin: ByteSource
  stdout: ByteSink
  stderr: ByteSink
  signal: AbortSignal
  spawn: CommandIo['spawn']
}

const exitSigpipe = 141
const exitSigterm = 143
const exitSigsegv = 139

/** Resolves with the exit code; never rejects. */
export async function runProcess(request: ProcessRequest): Promise<number> {
  const { argv, android } = request
  const name = argv[0] ?? ''
  android.counters.command(argv)
  const controller = new AbortController()
  const kill = () => controller.abort()
  request.signal.addEventListener('abort', kill, { once: true })
  if (request.signal.aborted) kill()
  const args = argv.join(' ')
  const process = android.processes.start({ user: 'shell', name, args, parent: request.parent, kill })
  const killed = new Promise<number>((resolve) => {
    const end = () => resolve(exitSigterm)
    if (controller.signal.aborted) end()
    else controller.signal.addEventListener('abort', end, { once: true })
  })
  const io = commandIo(request, process.pid, controller.signal)
  try {
    return await Promise.race([guarded(request.run, io, android), killed])
  } finally {
    request.signal.removeEventListener('abort', kill)
    android.processes.end(process)
  }
}

/** An internal error in a command is reported and ends that command, like a crash; its script continues. */
async function guarded(run: CommandRun, io: CommandIo, android: Android): Promise<number> {
  try {
    return await run(io)
  } catch (error) {
    if (error instanceof BrokenPipe) return exitSigpipe
    const message = messageOf(error, io.name)
    if (message === null) {
      android.fault(error, io.name)
      return exitSigsegv
    }
    await io.err(message.text).catch(ignoreBrokenPipe)
    return message.exitCode
  }
}

function messageOf(error: unknown, name: string): { text: string; exitCode: number } | null {
  if (error instanceof UsageError) return { text: `${name}: ${error.message}\n`, exitCode: error.exitCode }
  if (error instanceof FsError) return { text: `${name}: ${error.path}: ${error.message}\n`, exitCode: 1 }
  return null
}

function ignoreBrokenPipe(error: unknown): void {
  if (!(error instanceof BrokenPipe)) throw error
}

function commandIo(request: ProcessRequest, pid: number, signal: AbortSignal): CommandIo {
  const { argv, env, cwd, android } = request
  const sink = (target: ByteSink): ByteSink => ({
    write: (chunk) => (signal.aborted ? Promise.reject(new BrokenPipe()) : target.write(chunk)),
  })
  const stdout = sink(request.stdout)
  const stderr = sink(request.stderr)
  const stdin: ByteSource = { read: () => (signal.aborted ? Promise.resolve(null) : request.stdin.read()) }
  return {
    name: argv[0] ?? '',
    args: argv.slice(1),
    env,
    cwd,
    pid,
    fs: android.fs.until(signal),
    android,
    stdin,
    stdout,
    stderr,
    signal,
    out: (text) => stdout.write(bytesOf(text)),
    err: (text) => stderr.write(bytesOf(text)),
    path: (name) => absolute(cwd, name),
    spawn: (args, options: SpawnOptions = {}) => request.spawn(args, { stdin, stdout, env, ...options }),
  }
}

export function absolute(cwd: string, name: string): string {
  if (name.startsWith('/') || name === '') return name
  return cwd === '/' ? `/${name}` : `${cwd}/${name}`
}
