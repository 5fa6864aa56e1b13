/**
 * Builds the commands of a phone's shell. Only this file makes a `ShellCommand`; all other code passes lists of arguments.
 */
import { shellWord } from '@phonerack/shared'

declare const brand: unique symbol

/** A command line for a phone's `sh`. */
export type ShellCommand = string & { readonly [brand]: true }

/**
 * Joins arguments to shell words. @throws RangeError for an empty list, and for NUL, which an argument cannot contain
 */
export function quote(args: readonly string[]): string {
  if (args.length === 0) throw new RangeError('a command needs at least one word')
  for (const arg of args) if (arg.includes('\0')) throw new RangeError('an argument cannot contain NUL')
  return args.map(shellWord).join(' ')
}

/** Builds one command with its arguments. */
export const command = (...args: readonly string[]): ShellCommand => quote(args) as ShellCommand

/** Builds one command with environment variables, such as `CLASSPATH=… app_process …`. */
export function commandWith(environment: Readonly<Record<string, string>>, ...args: string[]): ShellCommand {
  const words = Object.entries(environment).map(([name, value]) => {
    if (!/^[A-Z_]+$/.test(name)) throw new RangeError(`invalid name of a variable: ${name}`)
    return `${name}=${quote([value])}`
  })
  return [...words, quote(args)].join(' ') as ShellCommand
}

/** Prints the process ID of the shell. */
export const printingPid = 'echo $$' as ShellCommand

/**
 * Builds a command line that prints its process ID as the first line, and then runs a tenant's command line: `sh -c`
 * replaces the shell that prints the ID.
 */
export const withPid = (line: string): ShellCommand =>
  sequence(printingPid, command('exec', 'sh', '-c', line))

/** Programs and the number of their words that name a subcommand; later words may contain a tenant's text. */
const subcommands: Readonly<Record<string, number>> = {
  am: 1,
  appops: 1,
  cmd: 2,
  dumpsys: 1,
  ime: 1,
  input: 1,
  locksettings: 1,
  pm: 1,
  settings: 1,
  svc: 1,
  wm: 1,
}

/**
 * Returns the name of a command for messages and logs, such as `input text` or `cmd package install-write`. The name
 * has no arguments, which may contain typed text, URLs and paths. Of several commands, the first gives the name.
 */
export function commandName(line: string): string {
  const words = line.split(' ')
  while (words[0] !== undefined && (/^[A-Z_]+=/.test(words[0]) || words[0] === 'exec')) words.shift()
  const [program = ''] = words
  if (!/^[\w./-]+$/.test(program)) return 'a command'
  const named = [program]
  for (const word of words.slice(1, 1 + (subcommands[program] ?? 0))) {
    if (!/^[a-z][a-z-]*$/.test(word)) break
    named.push(word)
  }
  return named.join(' ')
}

/** Runs all commands in order, even after a failure. The exit code is the last command's. */
export const sequence = (...commands: readonly ShellCommand[]): ShellCommand =>
  commands.join('; ') as ShellCommand

/**
 * Connects commands: each command reads the output of the previous command. The exit code is that of the last command.
 */
export const pipe = (...commands: readonly ShellCommand[]): ShellCommand =>
  commands.join(' | ') as ShellCommand

/** Writes the output of a command to a file on the phone. */
export const into = (path: string, source: ShellCommand): ShellCommand =>
  `${source} > ${quote([path])}` as ShellCommand
