/**
 * The only place where text becomes a command of a phone's shell. Everything
 * else hands over lists of arguments; the branded type keeps it so.
 */

declare const brand: unique symbol

/** A command line for a phone's `sh`, made by this module and by nothing else. */
export type ShellCommand = string & { readonly [brand]: true }

/** One argument as one word of POSIX `sh`: whatever it holds, the command gets exactly it. */
const quoteOne = (arg: string): string =>
  /^[A-Za-z0-9_@%+:,./-]+$/.test(arg) ? arg : `'${arg.replaceAll("'", `'\\''`)}'`

/**
 * A list of arguments as shell words.
 * @throws RangeError for NUL, which no argument can hold, and for an empty list.
 */
export function quote(args: readonly string[]): string {
  if (args.length === 0) throw new RangeError('a command needs at least one word')
  for (const arg of args) if (arg.includes('\0')) throw new RangeError('an argument cannot hold NUL')
  return args.map(quoteOne).join(' ')
}

/** One command and its arguments. */
export const command = (...args: readonly string[]): ShellCommand => quote(args) as ShellCommand

/** One command with variables in its environment, such as `CLASSPATH=… app_process …`. */
export function commandWith(environment: Readonly<Record<string, string>>, ...args: string[]): ShellCommand {
  const words = Object.entries(environment).map(([name, value]) => {
    if (!/^[A-Z_]+$/.test(name)) throw new RangeError(`not a variable's name: ${name}`)
    return `${name}=${quote([value])}`
  })
  return [...words, quote(args)].join(' ') as ShellCommand
}

/** Programs whose first words say what they do; the words after may be anyone's text. */
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
 * The name of a command for messages and logs, such as `input text` or `cmd package install-write`: never its
 * arguments, which may hold typed text, URLs and paths. Of several commands it is the first one's.
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

/** Runs all of them, one after the other, whatever they return; the exit code is the last one's. */
export const sequence = (...commands: readonly ShellCommand[]): ShellCommand =>
  commands.join('; ') as ShellCommand

/** Each reads what the one before it writes; the exit code is the last one's. */
export const pipe = (...commands: readonly ShellCommand[]): ShellCommand =>
  commands.join(' | ') as ShellCommand
