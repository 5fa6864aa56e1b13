/** The base of all commands: options of the program, the session, answers. */
import type { Command } from 'commander'
import type { CallOptions } from '@phonerack/sdk'
import type { Io } from './io.js'
import { Output } from './output.js'
import { plainLines } from '@phonerack/shared/plain'
import { Session } from './session.js'
import { Cancelled, UsageError } from './usage-error.js'
import { createInterface } from 'node:readline'

interface GlobalFlags {
  json?: boolean
  quiet?: boolean
  yes?: boolean
  context?: string
  /** A profile that limits the key for this command. */
  profile?: string
}

/**
 * Returns the connection of the prompt for a line of it. @throws UsageError for an option that needs another
 * connection
 */
function withoutChange(shared: Session, flags: GlobalFlags): Session {
  for (const name of ['profile', 'context'] as const)
    if (flags[name] !== undefined)
      throw new UsageError(
        `--${name} cannot be set for one line of the prompt.`,
        `Quit, and start the prompt with --${name}.`,
      )
  return shared
}

/** One run of a command. */
export class Run {
  readonly out: Output
  private opened: Promise<Session> | undefined

  constructor(
    readonly io: Io,
    readonly flags: GlobalFlags,
    /** The session of the prompt. */
    shared: Session | null,
  ) {
    this.out = new Output(io, flags.json ?? false, flags.quiet ?? false)
    if (shared) this.opened = Promise.resolve(withoutChange(shared, flags))
  }

  session(): Promise<Session> {
    return (this.opened ??= Session.open(this.io, this.flags))
  }

  /** Options of requests, which Ctrl-C aborts. */
  get call(): CallOptions {
    return { signal: this.io.signal }
  }

  /** Asks for confirmation on the terminal. @throws Cancelled on `no`, UsageError without a terminal */
  async confirm(question: string): Promise<void> {
    if (this.flags.yes === true) return
    const { in: input, err } = this.io.isTerminal
    if (!input || !err) throw new UsageError('This needs a confirmation.', 'Add --yes.')
    const answer = await (this.io.ask ?? ((text) => askOnce(this.io, text)))(`${plainLines(question)} [y/N] `)
    if (!/^y(?:es)?$/i.test(answer.trim())) throw new Cancelled('Nothing was done.')
  }
}

async function askOnce(io: Io, question: string): Promise<string> {
  await io.err(question)
  const lines = createInterface({ input: io.stdin, signal: io.signal })
  try {
    return await new Promise<string>((resolve) => {
      lines.once('line', resolve)
      // The end of stdin and Ctrl-C count as no.
      lines.once('close', () => resolve(''))
    })
  } finally {
    lines.close()
  }
}

/** Runs a command line, for the prompt. Returns the exit code. */
export type RunLine = (words: readonly string[], io: Io, shared: Session) => Promise<number>

/** Adds a handler to a command. */
export class App {
  constructor(
    readonly io: Io,
    /** The session of the prompt. */
    readonly shared: Session | null,
    readonly runLine: RunLine,
  ) {}

  /** @param handler gets the operands unchanged */
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- Commander's options have no types: handlers state them
  on<Flags extends object>(
    command: Command,
    handler: (run: Run, operands: readonly string[], flags: Flags) => Promise<void>,
  ): Command {
    return command.action(async () => {
      const run = new Run(this.io, command.optsWithGlobals<GlobalFlags>(), this.shared)
      await handler(run, command.args, command.opts<Flags>())
    })
  }
}
