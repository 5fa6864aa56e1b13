/**
 * The command line of `ctl`, parsed strictly: an unknown word or flag is refused with the usage of that
 * command.
 */
import { parseArgs } from 'node:util'
import { idempotencyKeyPattern, idempotencyKeyRule } from '@phonerack/shared'
import { commands, type Command, type Flag } from './commands.js'
import { UsageError } from './usage-error.js'

export interface Invocation {
  command: Command
  /** Words after the command's name. */
  words: readonly string[]
  flags: Readonly<Record<string, string | boolean>>
  /** The data directory of the installation of `up`; null: the default. */
  data: string | null
  json: boolean
  /** Null: a key for this run only. */
  idempotencyKey: string | null
}

type Parsed = { kind: 'run'; invocation: Invocation } | { kind: 'help'; text: string }

const common = { data: 'DIR', json: true, help: true, 'idempotency-key': 'KEY' } as const satisfies Record<
  string,
  Flag
>

/** @throws UsageError */
export function parseCtlArgs(argv: readonly string[]): Parsed {
  const { values, words } = read(argv)
  const command = find(words)
  if (values['help'] === true || words.length === 0)
    return { kind: 'help', text: command ? usageOf(command) : usage() }
  if (!command) throw new UsageError(unknownCommand(words))
  const rest = words.slice(command.name.split(' ').length)
  if (!fits(rest.length, command.words)) throw new UsageError(`expected: ${synopsis(command)}`)
  for (const name of Object.keys(values)) {
    if (!(name in common) && !(name in command.flags))
      throw new UsageError(
        `--${name} is not an option of \`${command.name}\`; expected: ${synopsis(command)}`,
      )
  }
  for (const name of command.required ?? []) {
    if (values[name] === undefined || values[name] === '')
      throw new UsageError(
        `--${name} ${String(command.flags[name])} is required; expected: ${synopsis(command)}`,
      )
  }
  const { data, json, 'idempotency-key': key, ...flags } = values
  if (typeof key === 'string' && !idempotencyKeyPattern.test(key))
    throw new UsageError(`--idempotency-key ${idempotencyKeyRule}`)
  return {
    kind: 'run',
    invocation: {
      command,
      words: rest,
      flags,
      data: typeof data === 'string' ? data : null,
      json: json === true,
      idempotencyKey: typeof key === 'string' ? key : null,
    },
  }
}

/**
 * Whether a command accepts this number of words. A last name that ends in `...` takes one or more words; in brackets,
 * any number.
 */
function fits(count: number, words: readonly string[]): boolean {
  const last = words.at(-1) ?? ''
  if (last.endsWith('...]')) return count >= words.length - 1
  return last.endsWith('...') ? count >= words.length : count === words.length
}

function read(argv: readonly string[]): { values: Record<string, string | boolean>; words: string[] } {
  const options: Record<string, { type: 'string' | 'boolean' }> = {}
  for (const flags of [common, ...commands.map((command) => command.flags)]) {
    for (const [name, flag] of Object.entries(flags))
      options[name] = { type: flag === true ? 'boolean' : 'string' }
  }
  try {
    const parsed = parseArgs({ args: [...argv], options, allowPositionals: true, tokens: true })
    const { values, positionals, tokens } = parsed
    const names = tokens.flatMap((token) => (token.kind === 'option' ? [token.name] : []))
    const twice = names.find((name, at) => names.indexOf(name) !== at)
    // `parseArgs` would drop the first value without a word.
    if (twice !== undefined) throw new UsageError(`--${twice} is given more than once`)
    const given: Record<string, string | boolean> = {}
    for (const [name, value] of Object.entries(values)) {
      if (typeof value === 'string' || typeof value === 'boolean') given[name] = value
    }
    return { values: given, words: positionals }
  } catch (error) {
    throw new UsageError(error instanceof Error ? (error.message.split('. ', 1)[0] ?? '') : String(error))
  }
}

const find = (words: readonly string[]): Command | undefined =>
  commands.find((command) => command.name.split(' ').every((part, at) => words[at] === part))

function unknownCommand(words: readonly string[]): string {
  const group = commands.filter((command) => command.name.startsWith(`${words[0] ?? ''} `))
  if (group.length === 0) return `unknown command \`${words.slice(0, 2).join(' ')}\``
  return `\`${words[0] ?? ''}\` requires one of: ${[...new Set(group.map((command) => command.name.split(' ')[1]))].join(', ')}`
}

/** The flag in the usage, in brackets if it is optional. */
function flagText(command: Command, name: string, flag: Flag): string {
  const text = `--${name}${flag === true ? '' : ` ${flag}`}`
  return command.required?.includes(name) === true ? text : `[${text}]`
}

export const synopsis = (command: Command): string =>
  [
    './scripts/ctl',
    command.name,
    ...command.words,
    ...Object.entries(command.flags).map(([name, flag]) => flagText(command, name, flag)),
  ].join(' ')

const usageOf = (command: Command): string => `${command.about}\n\n  ${synopsis(command)}\n`

function usage(): string {
  const lines = commands.map(
    (command) => `  ${synopsis(command).replace('./scripts/ctl ', '')}\n      ${command.about}`,
  )
  return `Usage: ./scripts/ctl [--data DIR] [--json] [--idempotency-key KEY] COMMAND

Controls the Phonerack whose operator API is at PHONERACK_OPERATOR_URL (default: http://127.0.0.1:8090),
with the token PHONERACK_OPERATOR_TOKEN. With --data, or in a checkout without that token: the one that
./scripts/up runs in DIR (default: .phonerack in the checkout).

Arguments in brackets are optional. A command that changes something sends an idempotency key and retries
when the response is lost. If it receives no response, it prints the key: pass it as --idempotency-key to
repeat the command safely.

${lines.join('\n')}

Exit codes: 0 success, 1 the command was refused or failed, 2 invalid command line.
`
}
