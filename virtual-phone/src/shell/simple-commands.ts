/** Simple commands: assignments, declarations, builtins and external programs. Used by `interpreter.ts`. */
import { emptySource, nullSink } from '../android/streams.js'
import { FsError } from '../fs/errors.js'
import type { Assign, Command, Word } from './ast.js'
import { type Builtin } from './builtins.js'
import { findCommand } from './find-command.js'
import type { Interpreter } from './interpreter.js'
import { runProcess } from './process.js'
import type { Descriptors } from './state.js'
import { ReadOnlyVariable } from './variables.js'

export async function callSimple(
  shell: Interpreter,
  assigns: readonly Assign[],
  words: readonly Word[],
  descriptors: Descriptors,
): Promise<number> {
  shell.state.lastStatus = words.length === 0 ? 0 : shell.state.lastStatus
  const argv: string[] = []
  for (const word of words) argv.push(...(await shell.expander.fields(word)))
  if (argv.length === 0) {
    for (const assign of assigns) await assignOne(shell, assign)
    return words.length === 0 ? shell.state.lastStatus : 0
  }
  if (assigns.length === 0) return shell.execute(argv, descriptors)
  // The assignments apply to this command only.
  shell.state.variables.pushScope()
  try {
    for (const assign of assigns) {
      const value = await shell.expander.text(assign.value)
      const old = assign.append ? (shell.state.variables.get(assign.name) ?? '') : ''
      shell.state.variables.makeLocal(assign.name)
      shell.state.variables.set(assign.name, old + value)
      shell.state.variables.mark(assign.name, 'exported')
    }
    return await shell.execute(argv, descriptors)
  } finally {
    shell.state.variables.popScope()
  }
}

async function assignOne(shell: Interpreter, assign: Assign): Promise<void> {
  const value = await shell.expander.text(assign.value)
  const old = assign.append ? (shell.state.variables.get(assign.name) ?? '') : ''
  shell.state.variables.set(assign.name, old + value)
}

export async function declare(
  shell: Interpreter,
  command: Command & { kind: 'declare' },
  descriptors: Descriptors,
): Promise<number> {
  const argv = [command.variant]
  for (const arg of command.args) {
    if ('word' in arg) argv.push(...(await shell.expander.fields(arg.word)))
    else argv.push(`${arg.name}=${await shell.expander.text(arg.value)}`)
  }
  return shell.execute(argv, descriptors)
}

export async function callBuiltin(
  shell: Interpreter,
  builtin: Builtin,
  argv: readonly string[],
  descriptors: Descriptors,
): Promise<number> {
  try {
    return await builtin({ shell, name: argv[0] ?? '', args: argv.slice(1), descriptors })
  } catch (error) {
    if (error instanceof FsError || error instanceof ReadOnlyVariable) {
      const path = error instanceof FsError ? `${error.path}: ` : ''
      await shell.complain(`${argv[0] ?? ''}: ${path}${error.message}`, descriptors)
      return 2
    }
    throw error
  }
}

/** Runs an external command as a separate process. */
export async function runExternal(
  shell: Interpreter,
  argv: readonly string[],
  descriptors: Descriptors,
  env: Readonly<Record<string, string>>,
): Promise<number> {
  const name = argv[0] ?? ''
  const found = await findCommand(shell.android, name, { cwd: shell.cwd, path: env['PATH'] ?? '' })
  if (found.kind === 'missing') {
    await shell.complain(`${name}: inaccessible or not found`, descriptors)
    return 127
  }
  if (found.kind === 'refused') {
    await shell.complain(`${name}: ${found.reason}`, descriptors)
    return 126
  }
  const fullArgv = found.kind === 'script' ? ['sh', found.path, ...argv.slice(1)] : argv
  return runProcess({
    argv: fullArgv,
    run: found.run,
    android: shell.android,
    env,
    cwd: shell.cwd,
    parent: shell.state.pid,
    stdin: descriptors.get(0)?.source ?? emptySource,
    stdout: descriptors.get(1)?.sink ?? nullSink,
    stderr: descriptors.get(2)?.sink ?? nullSink,
    signal: shell.signal,
    spawn: (next, options) => {
      const changed = new Map(descriptors)
      if (options?.stdin !== undefined) changed.set(0, { source: options.stdin })
      if (options?.stdout !== undefined) changed.set(1, { sink: options.stdout })
      return runExternal(shell, next, changed, options?.env ?? env)
    },
  })
}
