/** The state of one running shell, and the exceptions that leave its control structures. */
import type { ByteSink, ByteSource } from '../android/streams.js'
import type { Statement } from './ast.js'
import type { Variables } from './variables.js'

/** The target of a descriptor. */
export interface Descriptor {
  source?: ByteSource
  sink?: ByteSink
}

export type Descriptors = ReadonlyMap<number, Descriptor>

export interface ShellState {
  variables: Variables
  parameters: readonly string[]
  functions: Map<string, Statement>
  cwd: string
  lastStatus: number
  /** `$!` */
  lastBackground: number | null
  /** `-e`, `-f`, `-u`, `-x` … by letter. */
  options: Set<string>
  /** `$0` */
  name: string
  pid: number
  /** Loops that `break` can leave. */
  loops: number
  /** `trap … EXIT` */
  exitTrap: string | null
  /** The position of `getopts`: its argument, and the letter in it. */
  getopts: { index: number; letter: number }
  /** The nesting depth of functions, substitutions and subshells. */
  depth: number
}

/** Returns a copy for a subshell. */
export function cloneState(state: ShellState): ShellState {
  return {
    ...state,
    variables: state.variables.clone(),
    functions: new Map(state.functions),
    options: new Set(state.options),
    exitTrap: null,
    depth: state.depth + 1,
  }
}

export class ExitShell extends Error {
  constructor(readonly code: number) {
    super('exit')
  }
}

export class ReturnFromFunction extends Error {
  constructor(readonly code: number) {
    super('return')
  }
}

export class LeaveLoop extends Error {
  constructor(
    readonly how: 'break' | 'continue',
    public levels: number,
  ) {
    super(how)
  }
}
