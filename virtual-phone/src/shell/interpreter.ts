/**
 * Runs the shell's syntax tree, as mksh on Android does. One `Interpreter` is
 * one shell or subshell; `session.ts` makes them. External commands come from
 * the table in `commands/`, found through PATH as files of `/system/bin`.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Android } from '../android/android.js'
import { BrokenPipe, emptySource, nullSink, Pipe } from '../android/streams.js'
import { FsError } from '../fs/errors.js'
import type { FileSystem } from '../fs/file-system.js'
import { ArithmeticError } from './arithmetic.js'
import type { Assign, Command, Script, Statement, Word } from './ast.js'
import { type Builtin, builtins } from './builtins.js'
import { byteString, bytesOf } from './bytes.js'
import { Expander, type ExpansionShell, ParameterError } from './expand.js'
import { findCommand } from './find-command.js'
import { matches, compile } from './pattern.js'
import { runProcess } from './process.js'
import { openRedirects, RedirectError } from './redirect.js'
import {
  cloneState,
  type Descriptors,
  ExitShell,
  LeaveLoop,
  ReturnFromFunction,
  type ShellState,
} from './state.js'
import { evaluateTest } from './test-expression.js'
import { ReadOnlyVariable } from './variables.js'

const maxDepth = 150
/** After this many commands the event loop gets a turn, so that no script holds up other phones. */
const commandsPerTurn = 8
/** What one `$(…)` may give. */
const maxSubstitutionBytes = 32 * 1024 * 1024

export class Interpreter implements ExpansionShell {
  private readonly expander: Expander = new Expander(this)
  private sinceTurn = 0
  readonly fs: FileSystem

  constructor(
    readonly android: Android,
    readonly state: ShellState,
    public descriptors: Descriptors,
    readonly signal: AbortSignal,
  ) {
    this.fs = android.fs.until(signal)
  }

  get cwd(): string {
    return this.state.cwd
  }

  get parameters(): readonly string[] {
    return this.state.parameters
  }

  get noGlob(): boolean {
    return this.state.options.has('f')
  }

  get noUnset(): boolean {
    return this.state.options.has('u')
  }

  /** Runs to the end or to `exit`, then what `trap … EXIT` asked for. */
  async run(script: Script): Promise<number> {
    const status = await this.runToEnd(() => this.script(script))
    return this.leave(status)
  }

  /** What `trap … EXIT` asked for; resolves with the shell's exit code. */
  async leave(status: number): Promise<number> {
    const trap = this.state.exitTrap
    if (trap === null || this.signal.aborted) return status
    this.state.exitTrap = null
    this.state.lastStatus = status
    let left = status
    await this.runToEnd(async () => {
      try {
        return await this.execute(['eval', trap], this.descriptors)
      } catch (error) {
        if (error instanceof ExitShell) left = error.code
        throw error
      }
    })
    return left
  }

  private async runToEnd(body: () => Promise<number>): Promise<number> {
    try {
      return await body()
    } catch (error) {
      return this.outcome(error)
    }
  }

  /** As `run`, but `exit` and friends go up to the caller. */
  async script(script: Script): Promise<number> {
    let status = script.length === 0 ? 0 : this.state.lastStatus
    for (const statement of script) status = await this.statement(statement)
    return status
  }

  lookup(name: string): string | null {
    const { state } = this
    switch (name) {
      case '?':
        return String(state.lastStatus)
      case '#':
        return String(state.parameters.length)
      case '$':
        return String(state.pid)
      case '!':
        return state.lastBackground === null ? null : String(state.lastBackground)
      case '-':
        return [...state.options].join('')
      case '0':
        return state.name
      case 'PWD':
        return state.cwd
      case 'PPID':
        return String(this.android.processes.find(state.pid)?.parent ?? 1)
      case 'RANDOM':
        return String(Math.floor(Math.random() * 32768))
    }
    if (/^\d+$/.test(name)) return state.parameters[Number(name) - 1] ?? null
    return state.variables.get(name)
  }

  assign(name: string, value: string): void {
    this.state.variables.set(name, value)
  }

  async substitute(body: Script): Promise<string> {
    const pipe = new Pipe()
    const shell = this.subshell(new Map(this.descriptors).set(1, { sink: pipe }))
    const running = shell.run(body).finally(() => pipe.end())
    const chunks: Buffer[] = []
    let size = 0
    for (let chunk = await pipe.read(); chunk !== null; chunk = await pipe.read()) {
      size += chunk.length
      if (size > maxSubstitutionBytes) pipe.destroy()
      else chunks.push(chunk)
    }
    this.state.lastStatus = await running
    return byteString(Buffer.concat(chunks)).replaceAll('\0', '').replace(/\n+$/, '')
  }

  /** After a failed command of an interactive shell: says what is wrong and goes on. */
  async recover(error: unknown): Promise<void> {
    this.state.lastStatus = await this.outcome(error)
  }

  /** Prints on stderr as mksh does. */
  async complain(message: string, descriptors: Descriptors = this.descriptors): Promise<void> {
    const sink = descriptors.get(2)?.sink ?? nullSink
    await sink.write(bytesOf(`${this.state.name}: ${message}\n`)).catch((error: unknown) => {
      if (!(error instanceof BrokenPipe)) throw error
    })
  }

  /** Runs a command by name: builtin, function, then PATH. */
  async execute(
    argv: readonly string[],
    descriptors: Descriptors,
    how: { skipFunctions?: boolean } = {},
  ): Promise<number> {
    const name = argv[0] ?? ''
    const builtin = builtins[name]
    const body = this.state.functions.get(name)
    if (body !== undefined && how.skipFunctions !== true)
      return this.callFunction(body, argv.slice(1), descriptors)
    if (builtin !== undefined) return this.callBuiltin(builtin, argv, descriptors)
    return this.spawn(argv, descriptors, this.state.variables.environment())
  }

  async callFunction(body: Statement, args: readonly string[], descriptors: Descriptors): Promise<number> {
    const saved = {
      parameters: this.state.parameters,
      descriptors: this.descriptors,
      loops: this.state.loops,
    }
    this.state.parameters = args
    this.state.loops = 0
    this.descriptors = descriptors
    this.state.variables.pushScope()
    this.deeper(1)
    try {
      return await this.statement(body)
    } catch (error) {
      if (error instanceof ReturnFromFunction) return error.code
      throw error
    } finally {
      this.deeper(-1)
      this.state.variables.popScope()
      this.state.parameters = saved.parameters
      this.state.loops = saved.loops
      this.descriptors = saved.descriptors
    }
  }

  /** An external command, with its own process. */
  async spawn(
    argv: readonly string[],
    descriptors: Descriptors,
    env: Readonly<Record<string, string>>,
  ): Promise<number> {
    const name = argv[0] ?? ''
    const found = await findCommand(this.android, name, { cwd: this.cwd, path: env['PATH'] ?? '' })
    if (found.kind === 'missing') {
      await this.complain(`${name}: inaccessible or not found`, descriptors)
      return 127
    }
    if (found.kind === 'refused') {
      await this.complain(`${name}: ${found.reason}`, descriptors)
      return 126
    }
    const fullArgv = found.kind === 'script' ? ['sh', found.path, ...argv.slice(1)] : argv
    return runProcess({
      argv: fullArgv,
      run: found.run,
      android: this.android,
      env,
      cwd: this.cwd,
      parent: this.state.pid,
      stdin: descriptors.get(0)?.source ?? emptySource,
      stdout: descriptors.get(1)?.sink ?? nullSink,
      stderr: descriptors.get(2)?.sink ?? nullSink,
      signal: this.signal,
      spawn: (next, options) => {
        const changed = new Map(descriptors)
        if (options?.stdin !== undefined) changed.set(0, { source: options.stdin })
        if (options?.stdout !== undefined) changed.set(1, { sink: options.stdout })
        return this.spawn(next, changed, options?.env ?? env)
      },
    })
  }

  subshell(descriptors: Descriptors, signal = this.signal): Interpreter {
    const state = cloneState(this.state)
    if (state.depth > maxDepth) throw new ParameterError('too many nested shells')
    return new Interpreter(this.android, state, descriptors, signal)
  }

  private async statement(statement: Statement): Promise<number> {
    await this.takeTurn()
    if (statement.background) return this.background(statement)
    const status = await this.redirected(statement, (descriptors) =>
      statement.command === null ? Promise.resolve(0) : this.command(statement.command, descriptors),
    )
    const result = statement.negated ? (status === 0 ? 1 : 0) : status
    this.state.lastStatus = result
    if (result !== 0 && this.state.options.has('e') && !statement.negated && isPlain(statement))
      throw new ExitShell(result)
    return result
  }

  private async redirected(
    statement: Statement,
    body: (descriptors: Descriptors) => Promise<number>,
  ): Promise<number> {
    if (statement.redirects.length === 0) return body(this.descriptors)
    let opened
    try {
      opened = await openRedirects(statement.redirects, this.descriptors, {
        fs: this.fs,
        cwd: this.cwd,
        expander: this.expander,
        noClobber: this.state.options.has('C'),
      })
    } catch (error) {
      if (!(error instanceof RedirectError)) throw error
      await this.complain(error.message)
      return 1
    }
    const { descriptors } = opened
    if (isBareExec(statement)) {
      this.descriptors = descriptors
      return 0
    }
    try {
      return await body(descriptors)
    } finally {
      await opened.close()
    }
  }

  private async command(command: Command, descriptors: Descriptors): Promise<number> {
    switch (command.kind) {
      case 'call':
        return this.call(command.assigns, command.args, descriptors)
      case 'declare':
        return this.declare(command, descriptors)
      case 'and':
      case 'or':
        return this.within(descriptors, async () => {
          const left = await this.condition([command.left])
          if ((left === 0) !== (command.kind === 'and')) return left
          return this.statement(command.right)
        })
      case 'pipe':
        return this.pipeline(command.parts, descriptors)
      case 'subshell':
        return this.subshell(descriptors).run(command.body)
      case 'block':
        return this.within(descriptors, () => this.script(command.body))
      case 'if':
        return this.within(descriptors, async () => {
          if ((await this.condition(command.condition)) === 0) return this.script(command.then)
          return this.script(command.else)
        })
      case 'while':
        return this.within(descriptors, () => this.loop(command))
      case 'for':
        return this.within(descriptors, () => this.forLoop(command))
      case 'case':
        return this.within(descriptors, () => this.caseOf(command))
      case 'function':
        this.state.functions.set(command.name, command.body)
        return 0
      case 'test':
        return (await evaluateTest(command.test, this.expander, this)) ? 0 : 1
      case 'arithmetic':
        return (await this.expander.number(command.expression)) === 0 ? 1 : 0
    }
  }

  private async call(
    assigns: readonly Assign[],
    words: readonly Word[],
    descriptors: Descriptors,
  ): Promise<number> {
    this.state.lastStatus = words.length === 0 ? 0 : this.state.lastStatus
    const argv: string[] = []
    for (const word of words) argv.push(...(await this.expander.fields(word)))
    if (argv.length === 0) {
      for (const assign of assigns) await this.assignOne(assign)
      return words.length === 0 ? this.state.lastStatus : 0
    }
    if (assigns.length === 0) return this.execute(argv, descriptors)
    // For this command only.
    this.state.variables.pushScope()
    try {
      for (const assign of assigns) {
        const value = await this.expander.text(assign.value)
        const old = assign.append ? (this.state.variables.get(assign.name) ?? '') : ''
        this.state.variables.makeLocal(assign.name)
        this.state.variables.set(assign.name, old + value)
        this.state.variables.mark(assign.name, 'exported')
      }
      return await this.execute(argv, descriptors)
    } finally {
      this.state.variables.popScope()
    }
  }

  private async assignOne(assign: Assign): Promise<void> {
    const value = await this.expander.text(assign.value)
    const old = assign.append ? (this.state.variables.get(assign.name) ?? '') : ''
    this.state.variables.set(assign.name, old + value)
  }

  private async declare(command: Command & { kind: 'declare' }, descriptors: Descriptors): Promise<number> {
    const argv = [command.variant]
    for (const arg of command.args) {
      if ('word' in arg) argv.push(...(await this.expander.fields(arg.word)))
      else argv.push(`${arg.name}=${await this.expander.text(arg.value)}`)
    }
    return this.execute(argv, descriptors)
  }

  private async callBuiltin(
    builtin: Builtin,
    argv: readonly string[],
    descriptors: Descriptors,
  ): Promise<number> {
    try {
      return await builtin({ shell: this, name: argv[0] ?? '', args: argv.slice(1), descriptors })
    } catch (error) {
      if (error instanceof FsError || error instanceof ReadOnlyVariable) {
        const path = error instanceof FsError ? `${error.path}: ` : ''
        await this.complain(`${argv[0] ?? ''}: ${path}${error.message}`, descriptors)
        return 2
      }
      throw error
    }
  }

  private async pipeline(parts: readonly Statement[], descriptors: Descriptors): Promise<number> {
    let input = descriptors.get(0)
    const running: Promise<number>[] = []
    for (const [index, part] of parts.entries()) {
      const last = index === parts.length - 1
      const pipe = new Pipe()
      const own = new Map(descriptors)
      if (input !== undefined) own.set(0, input)
      if (!last) own.set(1, { sink: pipe })
      const source = index === 0 ? null : input?.source
      const shell = this.subshell(own)
      running.push(
        shell.run([part]).finally(() => {
          pipe.end()
          if (source instanceof Pipe) source.destroy()
        }),
      )
      input = { source: pipe }
    }
    const statuses = await Promise.all(running)
    return statuses.at(-1) ?? 0
  }

  private background(statement: Statement): number {
    const controller = new AbortController()
    const process = this.android.processes.start({
      user: 'shell',
      name: 'sh',
      parent: this.state.pid,
      kill: () => controller.abort(),
    })
    const shell = this.subshell(new Map(this.descriptors).set(0, { source: emptySource }), controller.signal)
    this.state.lastBackground = process.pid
    this.android.inBackground(
      shell.run([{ ...statement, background: false }]).finally(() => this.android.processes.end(process)),
      process.pid,
    )
    return 0
  }

  /** Runs `body` with these descriptors as the shell's own. */
  private async within(descriptors: Descriptors, body: () => Promise<number>): Promise<number> {
    const saved = this.descriptors
    this.descriptors = descriptors
    try {
      return await body()
    } finally {
      this.descriptors = saved
    }
  }

  /** What is tested does not end a shell under `set -e`. */
  private async condition(script: Script): Promise<number> {
    const strict = this.state.options.delete('e')
    try {
      return await this.script(script)
    } finally {
      if (strict) this.state.options.add('e')
    }
  }

  private async loop(command: Command & { kind: 'while' }): Promise<number> {
    let status = 0
    while (((await this.condition(command.condition)) === 0) !== command.until) {
      const turn = await this.loopBody(command.body)
      status = turn.status
      if (turn.leave) break
    }
    return status
  }

  private async forLoop(command: Command & { kind: 'for' }): Promise<number> {
    const values: string[] = command.words === null ? [...this.parameters] : []
    for (const word of command.words ?? []) values.push(...(await this.expander.fields(word)))
    let status = 0
    for (const value of values) {
      this.assign(command.name, value)
      const turn = await this.loopBody(command.body)
      status = turn.status
      if (turn.leave) break
    }
    return status
  }

  private async loopBody(body: Script): Promise<{ status: number; leave: boolean }> {
    await this.takeTurn()
    this.state.loops += 1
    try {
      return { status: await this.script(body), leave: false }
    } catch (error) {
      if (!(error instanceof LeaveLoop)) throw error
      if (--error.levels > 0) throw error
      return { status: 0, leave: error.how === 'break' }
    } finally {
      this.state.loops -= 1
    }
  }

  private async caseOf(command: Command & { kind: 'case' }): Promise<number> {
    const subject = await this.expander.text(command.subject)
    let status = 0
    let through = false
    for (const item of command.items) {
      through = through || (await this.matchesAny(item.patterns, subject))
      if (!through) continue
      status = await this.script(item.body)
      if (!item.fallsThrough) return status
    }
    return status
  }

  private async matchesAny(patterns: readonly Word[], subject: string): Promise<boolean> {
    for (const pattern of patterns) {
      if (matches(compile(await this.expander.pieces(pattern)), subject)) return true
    }
    return false
  }

  private async outcome(error: unknown): Promise<number> {
    if (error instanceof ExitShell || error instanceof ReturnFromFunction) return error.code
    if (error instanceof LeaveLoop) return 0
    if (error instanceof BrokenPipe) return 141
    if (error instanceof ParameterError || error instanceof ArithmeticError) {
      await this.complain(error.message)
      return 1
    }
    if (error instanceof ReadOnlyVariable) {
      await this.complain(error.message)
      return 2
    }
    throw error
  }

  private deeper(by: number): void {
    this.state.depth += by
    if (this.state.depth > maxDepth) throw new ParameterError('too many nested calls')
  }

  private async takeTurn(): Promise<void> {
    if (++this.sinceTurn >= commandsPerTurn) {
      this.sinceTurn = 0
      await nextTurn()
    }
    if (this.signal.aborted) throw new ExitShell(143)
  }
}

function isPlain(statement: Statement): boolean {
  const kind = statement.command?.kind
  return kind !== 'and' && kind !== 'or'
}

/** `exec >file`: for the rest of the shell. */
function isBareExec(statement: Statement): boolean {
  const { command } = statement
  const word = command?.kind === 'call' && command.args.length === 1 ? command.args[0] : undefined
  const part = word?.length === 1 ? word[0] : undefined
  return part?.kind === 'literal' && part.text === 'exec'
}
