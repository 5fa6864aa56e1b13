/** Runs one command line, and turns errors into messages and exit codes. */
import { CommanderError, type Command } from 'commander'
import { exitCodeOf, exitCodes, envelopeOf, failureText } from './failure.js'
import type { Io } from './io.js'
import { Output } from './output.js'
import { plainJson } from '@phonerack/shared/plain'
import { createProgram } from './program.js'
import type { Session } from './session.js'
import { Cancelled, ExitWith, UsageError } from './usage-error.js'

/** @param words without the program @returns the exit code */
export async function run(words: readonly string[], io: Io, shared: Session | null = null): Promise<number> {
  const program = createProgram(io, shared, run)
  let help = ''
  configure(program, (text) => (help += text))
  try {
    if (words.length === 0) program.help()
    await program.parseAsync([...words], { from: 'user' })
    return exitCodes.ok
  } catch (error) {
    return await failed(error, words, io, help)
  }
}

/** Withholds Commander's own texts, so that its errors are printed like all others. */
function configure(command: Command, keep: (text: string) => void): void {
  command.configureOutput({ writeOut: keep, writeErr: () => undefined }).exitOverride()
  command.configureHelp({ subcommandTerm: termOf, showGlobalOptions: true })
  for (const each of command.commands) configure(each, keep)
}

/** Leaves `[options]` out, which every command has. */
const termOf = (command: Command): string =>
  `${command.name()} ${command.usage().replace(/\[(?:options|command)\]/g, '')}`.replace(/\s+/g, ' ').trim()

async function failed(thrown: unknown, words: readonly string[], io: Io, help: string): Promise<number> {
  if (thrown instanceof ExitWith) return thrown.exitCode
  if (thrown instanceof CommanderError && thrown.exitCode === 0) {
    await io.out(help.endsWith('\n') ? help : `${help}\n`)
    return exitCodes.ok
  }
  const error = thrown instanceof CommanderError ? usageErrorOf(thrown) : interruptOf(thrown, io)
  // Commander may have failed before it read the options.
  const json = words.slice(0, words.includes('--') ? words.indexOf('--') : undefined).includes('--json')
  const out = new Output(io, json, false)
  const text = json
    ? plainJson(JSON.stringify({ error: envelopeOf(error) }))
    : failureText(error, (word) => out.paintErr('red', word))
  await io.err(`${text}\n`)
  return exitCodeOf(error)
}

/** Ctrl-C ends requests with its reason, reads of stdin with an `AbortError`, and questions with a no. */
function interruptOf(thrown: unknown, { signal }: Io): unknown {
  const isEnd = thrown instanceof Cancelled || (thrown instanceof Error && thrown.name === 'AbortError')
  return signal.aborted && isEnd ? signal.reason : thrown
}

function usageErrorOf({ code, message }: CommanderError): UsageError {
  // A group without a subcommand.
  if (code === 'commander.help')
    return new UsageError('The subcommand is missing.', 'Add --help for a list of subcommands.')
  const [first = '', ...suggestions] = message.replace(/^error: /, '').split('\n')
  const sentence = first.charAt(0).toUpperCase() + first.slice(1)
  const next = suggestions
    .join(' ')
    .trim()
    .replace(/^\(|\)$/g, '')
  return new UsageError(
    sentence.endsWith('.') ? sentence : `${sentence}.`,
    next === '' ? 'Add --help for the options.' : next,
  )
}
