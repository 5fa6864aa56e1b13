import type { ByteSource } from '../../android/streams.js'
import { type CommandIo, type CommandTable, UsageError } from '../command.js'
import { absolute } from '../process.js'
import { eachInput, linesOf } from './inputs.js'
import { parseOptions } from './options.js'
import { literalSource, PosixRegExp, posixSource } from './posix-regexp.js'

interface Settings {
  flags: ReadonlySet<string>
  matcher: PosixRegExp
  max: number
  before: number
  after: number
  names: boolean
}

async function grep(io: CommandIo): Promise<number> {
  // Each -e is a separate pattern.
  const patterns = io.args.flatMap((arg, at) => (arg === '-e' ? [io.args[at + 1] ?? ''] : []))
  const parsed = parseOptions(io, 'EFivcnlLqorRhHwxsazb', 'emABCf')
  const { flags } = parsed
  const operands = [...parsed.operands]
  const pattern = patterns.length > 1 ? patterns.join('\n') : (parsed.values['e'] ?? operands.shift())
  if (pattern === undefined) throw new UsageError('no REGEX', 2)
  const context = Number(parsed.values['C'] ?? '0')
  const recursive = flags.has('r') || flags.has('R')
  const files = recursive ? walk(io, operands.length === 0 ? ['.'] : operands) : operands
  const settings: Settings = {
    flags,
    matcher: matcherOf(pattern, flags),
    max: Number(parsed.values['m'] ?? Infinity),
    before: Number(parsed.values['B'] ?? context),
    after: Number(parsed.values['A'] ?? context),
    names: flags.has('H') || ((files.length > 1 || recursive) && !flags.has('h')),
  }
  const state = { found: false }
  const quiet = flags.has('s') ? { ...io, err: () => Promise.resolve() } : io
  const status = await eachInput(quiet, files, async (source, name) => {
    if (state.found && flags.has('q')) return
    const count = await search(io, source, name, settings)
    if (count > 0) state.found = true
  })
  if (status !== 0 && !flags.has('q')) return 2
  return state.found ? 0 : 1
}

function matcherOf(pattern: string, flags: ReadonlySet<string>): PosixRegExp {
  const alternatives = pattern
    .split('\n')
    .map((line) => (flags.has('F') ? literalSource(line) : posixSource(line, flags.has('E'))))
  const source = alternatives.length === 1 ? (alternatives[0] ?? '') : anyOf(alternatives)
  const how = { ignoreCase: flags.has('i'), words: flags.has('w'), whole: flags.has('x') }
  return new PosixRegExp(source, pattern, how)
}

const anyOf = (sources: readonly string[]): string => sources.map((one) => `(?:${one})`).join('|')

async function search(io: CommandIo, source: ByteSource, name: string, settings: Settings): Promise<number> {
  const { flags, matcher } = settings
  const shownName = name === '-' ? '(standard input)' : name
  const prefix = (line: number, mark: string) =>
    (settings.names ? `${shownName}${mark}` : '') + (flags.has('n') ? `${line}${mark}` : '')
  const silent = flags.has('q') || flags.has('c') || flags.has('l') || flags.has('L')
  const earlier: [number, string][] = []
  let [count, number, afterLeft, lastShown] = [0, 0, 0, 0]
  for await (const line of linesOf(source)) {
    number += 1
    const hit = matcher.test(line) !== flags.has('v')
    if (hit) {
      count += 1
      if (!silent) {
        if (flags.has('o')) {
          for (const { start, end } of matcher.matches(line))
            if (end > start) await io.out(`${prefix(number, ':')}${line.slice(start, end)}\n`)
        } else {
          const separated =
            (settings.before > 0 || settings.after > 0) &&
            lastShown > 0 &&
            number - earlier.length > lastShown + 1
          if (separated) await io.out('--\n')
          for (const [at, text] of earlier.splice(0)) await io.out(`${prefix(at, '-')}${text}\n`)
          await io.out(`${prefix(number, ':')}${line}\n`)
          lastShown = number
        }
      }
      afterLeft = settings.after
      if (count >= settings.max || flags.has('q') || flags.has('l')) break
    } else if (afterLeft > 0 && !silent) {
      afterLeft -= 1
      lastShown = number
      await io.out(`${prefix(number, '-')}${line}\n`)
    } else if (settings.before > 0) {
      earlier.push([number, line])
      if (earlier.length > settings.before) earlier.shift()
    }
  }
  if (flags.has('c') && !flags.has('q')) await io.out(`${settings.names ? `${shownName}:` : ''}${count}\n`)
  if ((flags.has('l') && count > 0) || (flags.has('L') && count === 0)) await io.out(`${shownName}\n`)
  return count
}

function walk(io: CommandIo, names: readonly string[]): string[] {
  return names.flatMap((name) => {
    const path = io.path(name)
    if (io.fs.tryLstat(path)?.kind !== 'directory' || !io.fs.access(path, 4)) return [name]
    return walk(
      io,
      io.fs.readdir(path).map((entry) => absolute(name, entry)),
    )
  })
}

export const grepCommands: CommandTable = { grep }
