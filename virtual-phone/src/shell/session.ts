/**
 * Starts shells: for one command line (`adb shell ls`), for a script, or for
 * lines that arrive on stdin. Used by adbd's shell service and by
 * the command `sh`.
 */
import type { Android } from '../android/android.js'
import type { ByteSink, ByteSource } from '../android/streams.js'
import type { Script } from './ast.js'
import { byteString, bytesOf } from './bytes.js'
import { defaultPath } from './find-command.js'
import { Interpreter } from './interpreter.js'
import { LineSource } from './line-source.js'
import { parse, ShellSyntaxError, SyntaxUnsupported } from './parse.js'
import { ExitShell } from './state.js'
import { Variables } from './variables.js'

export interface SessionOptions {
  android: Android
  stdin: ByteSource
  stdout: ByteSink
  stderr: ByteSink
  signal: AbortSignal
  cwd?: string
  env?: Readonly<Record<string, string>>
  /** `$0`, the prefix of messages. */
  name?: string
  parameters?: readonly string[]
  pid: number
}

export function defaultEnvironment(): Record<string, string> {
  return {
    ANDROID_ASSETS: '/system/app',
    ANDROID_BOOTLOGO: '1',
    ANDROID_DATA: '/data',
    ANDROID_ROOT: '/system',
    ANDROID_STORAGE: '/storage',
    EXTERNAL_STORAGE: '/sdcard',
    HOME: '/',
    HOSTNAME: 'vphone',
    LOGNAME: 'shell',
    PATH: defaultPath,
    SHELL: '/bin/sh',
    TERM: 'dumb',
    TMPDIR: '/data/local/tmp',
    USER: 'shell',
  }
}

/** Runs one command line or script. Resolves with the exit code. */
export async function runText(text: string, options: SessionOptions): Promise<number> {
  const shell = newShell(options)
  const script = await parseOrComplain(text, shell)
  return script === null ? 1 : shell.run(script)
}

/** Runs the commands of stdin one by one, until its end or `exit`. Prints `prompt` before each command. */
export async function runInteractive(
  prompt: (() => string) | null,
  options: SessionOptions,
): Promise<number> {
  const lines = new LineSource(options.stdin)
  const shell = newShell({ ...options, stdin: lines })
  let pending = ''
  const ask = async () => {
    if (prompt !== null) await options.stderr.write(bytesOf(pending === '' ? prompt() : '> '))
  }
  await ask()
  for (let line = await lines.readLine(); line !== null; line = await lines.readLine()) {
    pending += byteString(line)
    try {
      const script = parse(pending)
      pending = ''
      await shell.script(script)
    } catch (error) {
      if (error instanceof ShellSyntaxError && error.incomplete) {
        await ask()
        continue
      }
      pending = ''
      if (error instanceof ShellSyntaxError || error instanceof SyntaxUnsupported) {
        await shell.complain(error.message)
        shell.state.lastStatus = 1
      } else if (error instanceof ExitShell) return shell.leave(error.code)
      else await shell.recover(error)
    }
    if (options.signal.aborted) return 143
    await ask()
  }
  if (pending !== '') return runPending(pending, shell)
  return shell.leave(shell.state.lastStatus)
}

async function runPending(pending: string, shell: Interpreter): Promise<number> {
  const script = await parseOrComplain(pending, shell)
  return script === null ? 1 : shell.run(script)
}

async function parseOrComplain(text: string, shell: Interpreter): Promise<Script | null> {
  try {
    return parse(text)
  } catch (error) {
    if (!(error instanceof ShellSyntaxError || error instanceof SyntaxUnsupported)) throw error
    await shell.complain(
      error instanceof SyntaxUnsupported ? error.message : `syntax error: ${error.message}`,
    )
    return null
  }
}

function newShell(options: SessionOptions): Interpreter {
  const { android, signal, stdin, stdout, stderr } = options
  const variables = new Variables(options.env ?? defaultEnvironment())
  variables.set('IFS', ' \t\n')
  return new Interpreter(
    android,
    {
      variables,
      parameters: options.parameters ?? [],
      functions: new Map(),
      cwd: options.cwd ?? '/',
      lastStatus: 0,
      lastBackground: null,
      options: new Set(),
      name: options.name ?? '/system/bin/sh',
      pid: options.pid,
      loops: 0,
      exitTrap: null,
      getopts: { index: 1, letter: 1 },
      depth: 0,
    },
    new Map([
      [0, { source: stdin }],
      [1, { sink: stdout }],
      [2, { sink: stderr }],
    ]),
    signal,
  )
}
