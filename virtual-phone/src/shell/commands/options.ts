/** Splits short options from operands, as `getopt` does. Used by the small commands. */
import { type CommandIo, UsageError } from '../command.js'

interface ParsedOptions {
  flags: ReadonlySet<string>
  values: Readonly<Record<string, string>>
  operands: readonly string[]
}

/**
 * `flags`: letters without a value; `withValue`: letters that take a value. @throws UsageError for any other
 */
export function parseOptions(io: CommandIo, flags: string, withValue = ''): ParsedOptions {
  const found = new Set<string>()
  const values: Record<string, string> = {}
  const operands: string[] = []
  for (let at = 0; at < io.args.length; at++) {
    const arg = io.args[at] ?? ''
    if (arg === '--') {
      operands.push(...io.args.slice(at + 1))
      break
    }
    if (!arg.startsWith('-') || arg === '-') {
      operands.push(arg)
      continue
    }
    for (let letter = 1; letter < arg.length; letter++) {
      const option = arg[letter] ?? ''
      if (withValue.includes(option)) {
        const value = letter + 1 < arg.length ? arg.slice(letter + 1) : io.args[++at]
        if (value === undefined) throw new UsageError(`Missing argument to -${option}`)
        values[option] = value
        break
      }
      if (!flags.includes(option))
        throw new UsageError(
          `Unknown option '${arg.startsWith('--') ? arg.slice(2) : option}' (see "${io.name} --help")`,
        )
      found.add(option)
    }
  }
  return { flags: found, values, operands }
}
