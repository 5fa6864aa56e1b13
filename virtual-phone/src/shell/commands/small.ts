/** env, timeout, mktemp, truncate, tac, rev, cmp: small commands that scripts use. */
import { randomInt } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { FsError } from '../../fs/errors.js'
import { type CommandIo, type CommandTable, UsageError } from '../command.js'
import { pathOfCommand } from '../find-command.js'
import { eachInput, linesOf } from './inputs.js'
import { parseOptions } from './options.js'
import { sizeOf } from './sizes.js'

async function env(io: CommandIo): Promise<number> {
  let values: Record<string, string> = { ...io.env }
  const args = [...io.args]
  for (let arg = args[0]; arg !== undefined; arg = args[0]) {
    const assign = /^([^=]+)=([^]*)$/.exec(arg)
    if (arg === '-i' || arg === '-') values = {}
    else if (arg === '-u') Reflect.deleteProperty(values, args.splice(1, 1)[0] ?? '')
    else if (assign !== null) values[assign[1] ?? ''] = assign[2] ?? ''
    else if (arg.startsWith('-')) throw new UsageError(`Unknown option '${arg.slice(1)}' (see "env --help")`)
    else break
    args.shift()
  }
  if (args.length > 0) {
    // Resolved with the old PATH, independent of the new environment.
    const path = await pathOfCommand(io.android, args[0] ?? '', { cwd: io.cwd, path: io.env['PATH'] ?? '' })
    if (path === null) throw new UsageError(`exec ${args[0] ?? ''}: No such file or directory`, 127)
    return io.spawn([path, ...args.slice(1)], { env: values })
  }
  for (const [name, value] of Object.entries(values)) await io.out(`${name}=${value}\n`)
  return 0
}

/** 124 when the time is over before the command. */
async function timeout(io: CommandIo): Promise<number> {
  const at = io.args.findIndex((arg) => !arg.startsWith('-'))
  const options = io.args.slice(0, Math.max(0, at))
  if (options.some((option) => option !== '-v'))
    throw new UsageError(`Unknown option '${(options[0] ?? '').slice(1)}' (see "timeout --help")`)
  const [length, ...command] = io.args.slice(at === -1 ? io.args.length : at)
  if (length === undefined || command.length === 0)
    throw new UsageError('Need 2 arguments (see "timeout --help")')
  const [, count, unit = 's'] = /^(\d+\.?\d*|\.\d+)([smhd]?)$/.exec(length) ?? []
  if (count === undefined) throw new UsageError(`Not a number '${length}'`)
  const ms =
    Number(count) * ({ s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }[unit === '' ? 's' : unit] ?? 1000)
  const running = new AbortController()
  const late = delay(Math.min(ms, 2 ** 31 - 1), null, { signal: running.signal }).catch((error: unknown) => {
    if (!running.signal.aborted) throw error
    return null
  })
  const code = await Promise.race([io.spawn(command), late])
  running.abort()
  if (code !== null) return code
  // Children of this process, and it ends with them.
  for (const process of io.android.processes.list()) if (process.parent === io.pid) process.kill?.()
  return 124
}

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

async function makeTemporary(io: CommandIo): Promise<number> {
  const { flags, values, operands } = parseOptions(io, 'dqut', 'p')
  const folder =
    values['p'] ??
    (operands[0] === undefined || flags.has('t') ? (io.env['TMPDIR'] ?? '/data/local/tmp') : null)
  const template = operands[0] ?? 'tmp.XXXXXXXXXX'
  const marks = /X*$/.exec(template)?.[0].length ?? 0
  if (marks < 2) throw new UsageError(`bad template '${template}'`)
  for (;;) {
    const random = Array.from({ length: marks }, () => letters[randomInt(letters.length)] ?? 'A').join('')
    const name = (folder === null ? '' : `${folder}/`) + template.slice(0, -marks) + random
    const path = io.path(name)
    if (io.fs.tryLstat(path) !== null) continue
    try {
      if (flags.has('d') && !flags.has('u')) io.fs.mkdir(path, 0o700)
      else if (!flags.has('u')) await io.fs.writeFile(path, Buffer.alloc(0), 0o600)
    } catch (error) {
      if (!(error instanceof FsError)) throw error
      if (flags.has('q')) return 1
      throw new UsageError(
        `Failed to create ${flags.has('d') ? 'directory' : 'file'} ${name}: ${error.message}`,
      )
    }
    await io.out(`${name}\n`)
    return 0
  }
}

async function truncate(io: CommandIo): Promise<number> {
  const { values, operands } = parseOptions(io, 'c', 's')
  const given = values['s']
  if (given === undefined || operands.length === 0)
    throw new UsageError('Needs 1 argument (see "truncate --help")')
  const size = sizeOf(given)
  for (const name of operands) {
    const path = io.path(name)
    const old = io.fs.tryStat(path)?.size ?? 0
    if (size >= old) {
      const writer = await io.fs.openWrite(path, { how: 'append' })
      try {
        for (let at = old; at < size; at += 65_536)
          await writer.write(Buffer.alloc(Math.min(65_536, size - at)))
      } finally {
        await writer.close()
      }
    } else {
      const kept = (await io.fs.readFile(path)).subarray(0, size)
      await io.fs.writeFile(path, kept)
    }
  }
  return 0
}

async function compareFiles(io: CommandIo): Promise<number> {
  const { flags, operands } = parseOptions(io, 'sl')
  const [first = '', second = '-'] = operands
  const contents: Buffer[] = []
  const failed = await eachInput(io, [first, second], async (source) => {
    const chunks: Buffer[] = []
    for (let chunk = await source.read(); chunk !== null; chunk = await source.read()) chunks.push(chunk)
    contents.push(Buffer.concat(chunks))
  })
  const [a, b] = contents
  if (failed !== 0 || a === undefined || b === undefined) return 2
  if (a.equals(b)) return 0
  if (flags.has('s')) return 1
  let at = 0
  while (at < Math.min(a.length, b.length) && a[at] === b[at]) at += 1
  if (at >= Math.min(a.length, b.length))
    await io.err(`cmp: EOF on ${a.length < b.length ? first : second}\n`)
  else {
    const line = a.subarray(0, at).filter((byte) => byte === 10).length + 1
    await io.out(`${first} ${second} differ: char ${at + 1}, line ${line}\n`)
  }
  return 1
}

const eachLine = (change: (lines: string[]) => string[]) => async (io: CommandIo) =>
  eachInput(io, io.args, async (source) => {
    const lines: string[] = []
    for await (const line of linesOf(source)) lines.push(line)
    for (const line of change(lines)) await io.out(`${line}\n`)
  })

export const smallCommands: CommandTable = {
  env,
  timeout,
  mktemp: makeTemporary,
  truncate,
  cmp: compareFiles,
  tac: eachLine((lines) => lines.reverse()),
  rev: eachLine((lines) => lines.map((line) => Array.from(line).reverse().join(''))),
}
