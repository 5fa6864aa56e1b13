/**
 * Runs the shell's syntax tree like mksh on Android. An `Interpreter` is a shell or a subshell; `session.ts`
 * creates them. External commands come from the table in `commands/`, and are found through PATH as files of
 * `/system/bin`.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Android } from '../android/android.js'
import { BrokenPipe, nullSink } from '../android/streams.js'
import type { FileSystem } from '../fs/file-system.js'
import { ArithmeticError } from './arithmetic.js'
import type { Command, Script, Statement } from './ast.js'
import { builtins } from './builtins.js'
import { bytesOf } from './bytes.js'
import { captureOutput, runInBackground, runPipeline } from './child-shells.js'
import { condition, runCase, runFor, runWhile } from './control-flow.js'
import { Expander, type ExpansionShell, ParameterError } from './expand.js'
import { lookupParameter } from './parameters.js'
import { openRedirects, RedirectError } from './redirect.js'
import { callBuiltin, callSimple, declare, runExternal } from './simple-commands.js'
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
/**
 * The number of commands after which the interpreter yields to the event loop, so that a script does not
 * block other phones.
 */
const commandsPerTurn = 8

export class Interpreter implements ExpansionShell {
  readonly expander: Expander = new Expander(this)
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

  /** Runs to the end or to `exit`, then runs the `EXIT` trap. */
  async run(script: Script): Promise<number> {
    const status = await this.runToEnd(() => this.script(script))
    return this.leave(status)
  }

  /** Runs the `trap … EXIT` command; resolves with the shell's exit code. */
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

  /** Like `run`, but `exit` and other jumps are thrown to the caller. */
  async script(script: Script): Promise<number> {
    let status = script.length === 0 ? 0 : this.state.lastStatus
    for (const statement of script) status = await this.statement(statement)
    return status
  }

  lookup(name: string): string | null {
    return lookupParameter(this, name)
  }

  assign(name: string, value: string): void {
    this.state.variables.set(name, value)
  }

  substitute(body: Script): Promise<string> {
    return captureOutput(this, body)
  }

  /** Prints the error of a failed command in an interactive shell, and continues. */
  async recover(error: unknown): Promise<void> {
    this.state.lastStatus = await this.outcome(error)
  }

  /** Prints to stderr like mksh. */
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
    if (builtin !== undefined) return callBuiltin(this, builtin, argv, descriptors)
    return runExternal(this, argv, descriptors, this.state.variables.environment())
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

  subshell(descriptors: Descriptors, signal = this.signal): Interpreter {
    const state = cloneState(this.state)
    if (state.depth > maxDepth) throw new ParameterError('too many nested shells')
    return new Interpreter(this.android, state, descriptors, signal)
  }

  async statement(statement: Statement): Promise<number> {
    await this.takeTurn()
    if (statement.background) return runInBackground(this, statement)
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
        return callSimple(this, command.assigns, command.args, descriptors)
      case 'declare':
        return declare(this, command, descriptors)
      case 'and':
      case 'or':
        return this.within(descriptors, async () => {
          const left = await condition(this, [command.left])
          if ((left === 0) !== (command.kind === 'and')) return left
          return this.statement(command.right)
        })
      case 'pipe':
        return runPipeline(this, command.parts, descriptors)
      case 'subshell':
        return this.subshell(descriptors).run(command.body)
      case 'block':
        return this.within(descriptors, () => this.script(command.body))
      case 'if':
        return this.within(descriptors, async () => {
          if ((await condition(this, command.condition)) === 0) return this.script(command.then)
          return this.script(command.else)
        })
      case 'while':
        return this.within(descriptors, () => runWhile(this, command))
      case 'for':
        return this.within(descriptors, () => runFor(this, command))
      case 'case':
        return this.within(descriptors, () => runCase(this, command))
      case 'function':
        this.state.functions.set(command.name, command.body)
        return 0
      case 'test':
        return (await evaluateTest(command.test, this.expander, this)) ? 0 : 1
      case 'arithmetic':
        return (await this.expander.number(command.expression)) === 0 ? 1 : 0
    }
  }

  /** Runs `body` with these descriptors in place of the shell's. */
  private async within(descriptors: Descriptors, body: () => Promise<number>): Promise<number> {
    const saved = this.descriptors
    this.descriptors = descriptors
    try {
      return await body()
    } finally {
      this.descriptors = saved
    }
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

  /** Ends a killed shell, and yields to other phones at intervals. */
  async takeTurn(): Promise<void> {
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

/** `exec >file` applies to the remaining commands of the shell. */
function isBareExec(statement: Statement): boolean {
  const { command } = statement
  const word = command?.kind === 'call' && command.args.length === 1 ? command.args[0] : undefined
  const part = word?.length === 1 ? word[0] : undefined
  return part?.kind === 'literal' && part.text === 'exec'
}
