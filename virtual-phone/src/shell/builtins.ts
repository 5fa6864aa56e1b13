/** Builtins: the commands that change the shell itself. Used by `interpreter.ts`. */
import { setTimeout as delay } from 'node:timers/promises'
import { emptySource, nullSink } from '../android/streams.js'
import { bytesOf } from './bytes.js'
import { absolute } from './process.js'
import { getopts } from './getopts.js'
import { findCommand, shellOwn } from './find-command.js'
import type { Interpreter } from './interpreter.js'
import { LineSource } from './line-source.js'
import { parse, ShellSyntaxError, SyntaxUnsupported } from './parse.js'
import { type Descriptors, ExitShell, LeaveLoop, ReturnFromFunction } from './state.js'

export interface BuiltinCall {
  shell: Interpreter
  name: string
  args: readonly string[]
  descriptors: Descriptors
}

export type Builtin = (call: BuiltinCall) => number | Promise<number>

const nameForm = /^[A-Za-z_][A-Za-z0-9_]*$/

function print(call: BuiltinCall, text: string): Promise<void> {
  return (call.descriptors.get(1)?.sink ?? nullSink).write(bytesOf(text))
}

/** Quotes a value like mksh, so that it can be read again. */
function shellQuote(value: string): string {
  return /^[A-Za-z0-9_./:,@%+-]+$/.test(value) ? value : `'${value.replaceAll("'", "'\\''")}'`
}

async function changeDirectory(call: BuiltinCall): Promise<number> {
  const { shell, args } = call
  const given = args.filter((arg) => arg !== '-L' && arg !== '-P')[0] ?? shell.lookup('HOME') ?? '/'
  const target = given === '-' ? (shell.lookup('OLDPWD') ?? '') : given
  const path = absolute(shell.cwd, target)
  const stat = shell.fs.tryStat(path)
  const problem =
    stat === null
      ? 'No such file or directory'
      : stat.kind !== 'directory'
        ? 'Not a directory'
        : shell.fs.access(path, 1)
          ? null
          : 'Permission denied'
  if (problem !== null) {
    await shell.complain(`cd: ${path}: ${problem}`, call.descriptors)
    return 2
  }
  shell.assign('OLDPWD', shell.cwd)
  shell.state.cwd = logicalPath(path)
  if (given === '-') await print(call, `${shell.cwd}\n`)
  return 0
}

/** Returns the path that `cd` shows: without `.` and `..`, with its links. */
function logicalPath(path: string): string {
  const parts: string[] = []
  for (const part of path.split('/')) {
    if (part === '..') parts.pop()
    else if (part !== '' && part !== '.') parts.push(part)
  }
  return `/${parts.join('/')}`
}

async function declareAll(call: BuiltinCall, mark: 'exported' | 'readonly' | 'local'): Promise<number> {
  const { shell, args } = call
  for (const arg of args) {
    if (/^[-+]/.test(arg)) {
      if (arg === '-p' || arg === '--') continue
      if (mark === 'local' && /^-[xr]$/.test(arg)) continue
      await shell.complain(`${call.name}: ${arg}: unsupported option`, call.descriptors)
      return 1
    }
    const at = arg.indexOf('=')
    const name = at === -1 ? arg : arg.slice(0, at)
    if (!nameForm.test(name)) {
      await shell.complain(`${call.name}: ${name}: is not an identifier`, call.descriptors)
      return 1
    }
    if (mark === 'local') shell.state.variables.makeLocal(name)
    if (at !== -1) shell.assign(name, arg.slice(at + 1))
    if (mark !== 'local') shell.state.variables.mark(name, mark)
  }
  if (args.length === 0 || args[0] === '-p') {
    for (const [name, variable] of shell.state.variables.all()) {
      const shown = mark === 'local' || variable[mark]
      if (shown)
        await print(call, `${mark === 'local' ? '' : `${call.name} `}${name}=${shellQuote(variable.value)}\n`)
    }
  }
  return 0
}

async function setOptions(call: BuiltinCall): Promise<number> {
  const { shell, args } = call
  if (args.length === 0) {
    for (const [name, variable] of shell.state.variables.all())
      await print(call, `${name}=${shellQuote(variable.value)}\n`)
    return 0
  }
  const named: Readonly<Record<string, string>> = {
    errexit: 'e',
    noclobber: 'C',
    noglob: 'f',
    nounset: 'u',
    xtrace: 'x',
    pipefail: 'pipefail',
  }
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? ''
    if (arg === '--' || !/^[-+]./.test(arg)) {
      shell.state.parameters = args.slice(arg === '--' ? at + 1 : at)
      return 0
    }
    const letters = arg === '-o' || arg === '+o' ? [named[args[++at] ?? ''] ?? '?'] : Array.from(arg.slice(1))
    for (const letter of letters) {
      if (!['e', 'f', 'h', 'm', 'u', 'C'].includes(letter)) {
        await shell.complain(`set: ${arg}: option not supported by this phone's shell`, call.descriptors)
        return 1
      }
      if (arg.startsWith('-')) shell.state.options.add(letter)
      else shell.state.options.delete(letter)
    }
  }
  return 0
}

async function readVariables(call: BuiltinCall): Promise<number> {
  const { shell } = call
  const raw = call.args.includes('-r')
  const names = call.args.filter((arg) => arg !== '-r')
  const option = names.find((name) => name.startsWith('-'))
  if (option !== undefined) {
    await shell.complain(`read: ${option}: unknown option`, call.descriptors)
    return 1
  }
  const descriptor = call.descriptors.get(0)
  const source = descriptor?.source ?? emptySource
  // Bytes that were read ahead must stay for the next reader of this descriptor.
  const lines = source instanceof LineSource ? source : new LineSource(source)
  if (descriptor !== undefined) descriptor.source = lines
  let line = ''
  let ended = false
  for (;;) {
    const bytes = await lines.readLine()
    if (bytes === null) ended = true
    const text = bytes?.toString('latin1') ?? ''
    line += text.replace(/\n$/, '')
    ended ||= !text.endsWith('\n')
    if (raw || ended || !/(^|[^\\])(\\\\)*\\$/.test(line)) break
    line = line.slice(0, -1)
  }
  if (!raw) line = line.replace(/\\(.)/gs, '$1')
  assignFields(call, names.length === 0 ? ['REPLY'] : names, line)
  return ended ? 1 : 0
}

function assignFields(call: BuiltinCall, names: readonly string[], line: string): void {
  const separators = call.shell.lookup('IFS') ?? ' \t\n'
  const blanks = Array.from(separators)
    .filter((char) => ' \t\n'.includes(char))
    .join('')
  const trim = (text: string) => {
    let [start, end] = [0, text.length]
    while (start < end && blanks.includes(text[start] ?? '')) start += 1
    while (end > start && blanks.includes(text[end - 1] ?? '')) end -= 1
    return text.slice(start, end)
  }
  let rest = trim(line)
  names.forEach((name, index) => {
    if (index === names.length - 1) return call.shell.assign(name, trim(rest))
    const end = Array.from(rest).findIndex((char) => separators.includes(char))
    call.shell.assign(name, end === -1 ? rest : rest.slice(0, end))
    rest = end === -1 ? '' : trim(rest.slice(end + 1))
  })
}

async function evaluateText(call: BuiltinCall, text: string): Promise<number> {
  try {
    const script = parse(text)
    const saved = call.shell.descriptors
    call.shell.descriptors = call.descriptors
    try {
      return await call.shell.script(script)
    } finally {
      call.shell.descriptors = saved
    }
  } catch (error) {
    if (!(error instanceof ShellSyntaxError || error instanceof SyntaxUnsupported)) throw error
    await call.shell.complain(`${call.name}: ${error.message}`, call.descriptors)
    return 1
  }
}

async function describe(call: BuiltinCall, short: boolean): Promise<number> {
  const { shell } = call
  let status = 0
  for (const name of call.args.filter((arg) => !arg.startsWith('-'))) {
    if (shell.state.functions.has(name)) await print(call, short ? `${name}\n` : `${name} is a function\n`)
    else if (name in builtins || shellOwn.has(name))
      await print(call, short ? `${name}\n` : `${name} is a shell builtin\n`)
    else {
      const found = await findCommand(shell.android, name, {
        cwd: shell.cwd,
        path: shell.lookup('PATH') ?? '',
      })
      if (found.kind === 'command' || found.kind === 'script') {
        await print(call, short ? `${found.path}\n` : `${name} is ${found.path}\n`)
      } else {
        if (!short) await print(call, `${name} not found\n`)
        status = 1
      }
    }
  }
  return status
}

async function cannotLeave(call: BuiltinCall): Promise<number> {
  await call.shell.complain(`${call.name}: can't ${call.name}`, call.descriptors)
  return 0
}

/** Supports only `EXIT`, since signals of this phone end a shell immediately. */
async function setTrap(call: BuiltinCall): Promise<number> {
  const { state } = call.shell
  const args = call.args[0] === '--' ? call.args.slice(1) : call.args
  if (args.length === 0) {
    if (state.exitTrap !== null) await print(call, `trap -- ${shellQuote(state.exitTrap)} EXIT\n`)
    return 0
  }
  const [action = '', ...conditions] = args.length === 1 ? ['-', ...args] : args
  let status = 0
  for (const condition of conditions) {
    if (condition === 'EXIT' || condition === '0') state.exitTrap = action === '-' ? null : action
    else {
      await call.shell.complain(`trap: ${condition}: not supported by this phone's shell`, call.descriptors)
      status = 1
    }
  }
  return status
}

function levels(args: readonly string[]): number {
  return Math.max(1, Number(args[0] ?? '1') || 1)
}

function statusArgument(call: BuiltinCall): number {
  return call.args[0] === undefined ? call.shell.state.lastStatus : Number(call.args[0]) & 255
}

export const builtins: Readonly<Record<string, Builtin>> = {
  ':': () => 0,
  '.': async (call) => {
    const [file, ...parameters] = call.args
    if (file === undefined) return 1
    const text = (await call.shell.fs.readFile(absolute(call.shell.cwd, file))).toString('latin1')
    if (parameters.length > 0) call.shell.state.parameters = parameters
    return evaluateText(call, text)
  },
  break: async (call) => {
    if (call.shell.state.loops === 0) return cannotLeave(call)
    throw new LeaveLoop('break', levels(call.args))
  },
  builtin: (call) => call.shell.execute(call.args, call.descriptors, { skipFunctions: true }),
  cd: changeDirectory,
  command: (call) => {
    if (call.args[0] === '-v' || call.args[0] === '-V') return describe(call, call.args[0] === '-v')
    return call.shell.execute(call.args, call.descriptors, { skipFunctions: true })
  },
  continue: async (call) => {
    if (call.shell.state.loops === 0) return cannotLeave(call)
    throw new LeaveLoop('continue', levels(call.args))
  },
  eval: (call) => evaluateText(call, call.args.join(' ')),
  exec: async (call) => {
    if (call.args.length === 0) return 0
    throw new ExitShell(await call.shell.execute(call.args, call.descriptors, { skipFunctions: true }))
  },
  exit: (call) => {
    throw new ExitShell(statusArgument(call))
  },
  export: (call) => declareAll(call, 'exported'),
  getopts,
  local: (call) => declareAll(call, 'local'),
  pwd: async (call) => {
    const physical = call.args[0] === '-P'
    await print(call, `${physical ? call.shell.fs.realpath(call.shell.cwd) : call.shell.cwd}\n`)
    return 0
  },
  read: readVariables,
  readonly: (call) => declareAll(call, 'readonly'),
  return: (call) => {
    throw new ReturnFromFunction(statusArgument(call))
  },
  set: setOptions,
  shift: async (call) => {
    const count = Number(call.args[0] ?? '1')
    if (!(count >= 0 && count <= call.shell.parameters.length)) {
      // A failing special builtin ends a non-interactive shell.
      await call.shell.complain('shift: nothing to shift', call.descriptors)
      throw new ExitShell(1)
    }
    call.shell.state.parameters = call.shell.parameters.slice(count)
    return 0
  },
  trap: setTrap,
  type: (call) => describe(call, false),
  typeset: (call) => declareAll(call, 'local'),
  umask: async (call) => {
    if (call.args.length > 0) return 0
    await print(call, '000\n')
    return 0
  },
  unset: (call) => {
    const functions = call.args.includes('-f')
    for (const name of call.args.filter((arg) => !arg.startsWith('-'))) {
      if (functions) call.shell.state.functions.delete(name)
      else call.shell.state.variables.unset(name)
    }
    return 0
  },
  wait: async (call) => {
    const pids = call.args.map(Number)
    const wanted = call.shell.android
      .backgroundJobs()
      .filter(([pid]) => pids.length === 0 || pids.includes(pid))
    let status = 0
    for (const [, job] of wanted) {
      status = await Promise.race([job, untilAborted(call.shell.signal)])
    }
    return pids.length === 0 ? 0 : status
  },
  whence: (call) => describe(call, true),
}

async function untilAborted(signal: AbortSignal): Promise<number> {
  while (!signal.aborted) await delay(60_000, undefined, { signal }).catch(() => undefined)
  return 143
}
