/** mkdir, rm, mv, cp and the other commands that change the file tree. */
import { FsError } from '../../fs/errors.js'
import { type CommandIo, type CommandTable, UsageError } from '../command.js'
import { absolute } from '../process.js'
import { parseMode } from './mode.js'
import { parseOptions } from './options.js'
import { parseDate } from './date.js'
import { sizeOf } from './sizes.js'

/** Calls `use` for each operand and reports failures. */
async function each(
  io: CommandIo,
  operands: readonly string[],
  use: (path: string, name: string) => Promise<void> | void,
  verb: 'quoted' | 'plain' = 'plain',
): Promise<number> {
  let status = 0
  for (const name of operands) {
    try {
      await use(io.path(name), name)
    } catch (error) {
      if (!(error instanceof FsError)) throw error
      await io.err(`${io.name}: ${verb === 'quoted' ? `'${name}'` : name}: ${error.message}\n`)
      status = 1
    }
  }
  return status
}

function need(io: CommandIo, operands: readonly string[], count: number): void {
  if (operands.length >= count) return
  throw new UsageError(
    count === 1 ? `Needs 1 argument (see "${io.name} --help")` : `Needs ${count} arguments`,
  )
}

async function copyFile(io: CommandIo, from: string, to: string, preserve: boolean): Promise<void> {
  const stat = io.fs.stat(from)
  await io.fs.copyFile(from, to, stat.mode & 0o777)
  if (preserve) io.fs.utimes(to, stat.mtimeMs)
}

async function copyTree(io: CommandIo, from: string, to: string, flags: ReadonlySet<string>): Promise<void> {
  const stat = flags.has('P') || flags.has('a') || flags.has('d') ? io.fs.lstat(from) : io.fs.stat(from)
  if (stat.kind === 'link') return io.fs.symlink(io.fs.readlink(from), to)
  if (stat.kind !== 'directory') return copyFile(io, from, to, flags.has('p') || flags.has('a'))
  if (to === from || to.startsWith(`${from}/`)) throw new FsError('EINVAL', to)
  if (io.fs.tryStat(to) === null) io.fs.mkdir(to, stat.mode & 0o777)
  for (const name of io.fs.readdir(from)) await copyTree(io, absolute(from, name), absolute(to, name), flags)
}

/** The last operand is the target. Files are placed into the target if it is a folder. */
async function toTarget(
  io: CommandIo,
  operands: readonly string[],
  use: (from: string, to: string) => Promise<void>,
): Promise<number> {
  need(io, operands, 2)
  const last = operands.at(-1) ?? ''
  const into = io.fs.tryStat(io.path(last))?.kind === 'directory'
  if (operands.length > 2 && !into) throw new UsageError(`'${last}' not directory`)
  let status = 0
  for (const name of operands.slice(0, -1)) {
    const from = io.path(name)
    const base = name.replace(/\/+$/, '').split('/').at(-1) ?? name
    const shown = into ? absolute(last.replace(/(?!^)\/+$/, ''), base) : last
    try {
      if (io.fs.tryLstat(from) === null)
        await io.err(`${io.name}: bad '${name}': No such file or directory\n`)
      else {
        await use(from, io.path(shown))
        continue
      }
    } catch (error) {
      if (!(error instanceof FsError)) throw error
      await io.err(`${io.name}: ${io.name === 'mv' ? `bad '${name}'` : shown}: ${error.message}\n`)
    }
    status = 1
  }
  return status
}

export const fileCommands: CommandTable = {
  mkdir: (io) => {
    const { flags, values, operands } = parseOptions(io, 'pv', 'm')
    need(io, operands, 1)
    const mode = values['m'] === undefined ? 0o777 : parseMode(values['m'], 0o777)
    return each(
      io,
      operands,
      (path) => (flags.has('p') ? io.fs.mkdirs(path, mode) : io.fs.mkdir(path, mode)),
      'quoted',
    )
  },
  rmdir: (io) => {
    const { operands } = parseOptions(io, 'p')
    need(io, operands, 1)
    return each(io, operands, (path) => io.fs.rmdir(path))
  },
  rm: (io) => {
    const { flags, operands } = parseOptions(io, 'rRfiv')
    if (!flags.has('f')) need(io, operands, 1)
    const recursive = flags.has('r') || flags.has('R')
    return each(io, operands, async (path) => {
      if (flags.has('f') && io.fs.tryLstat(path) === null) return
      if (recursive) await io.fs.removeTree(path)
      else await io.fs.unlink(path)
    })
  },
  mv: (io) => {
    const { operands } = parseOptions(io, 'fnivT')
    return toTarget(io, operands, async (from, to) => {
      try {
        await io.fs.rename(from, to)
      } catch (error) {
        if (!(error instanceof FsError && error.code === 'EXDEV')) throw error
        await copyTree(io, from, to, new Set(['p']))
        await io.fs.removeTree(from)
      }
    })
  },
  cp: (io) => {
    const { flags, operands } = parseOptions(io, 'rRafpdPvnT')
    return toTarget(io, operands, (from, to) => {
      const recursive = flags.has('r') || flags.has('R') || flags.has('a')
      if (!recursive && io.fs.stat(from).kind === 'directory') throw new FsError('EISDIR', from)
      return copyTree(io, from, to, flags)
    })
  },
  ln: (io) => {
    const { flags, operands } = parseOptions(io, 'sfvn')
    need(io, operands, 2)
    if (!flags.has('s')) throw new UsageError('cannot create hard link: Operation not permitted')
    return each(io, operands.slice(1), async (path, name) => {
      if (flags.has('f') && io.fs.tryLstat(path) !== null) await io.fs.unlink(path)
      try {
        io.fs.symlink(operands[0] ?? '', path)
      } catch (error) {
        if (!(error instanceof FsError)) throw error
        throw new UsageError(
          `cannot create symbolic link from '${operands[0] ?? ''}' to '${name}': ${error.message}`,
        )
      }
    })
  },
  touch: (io) => {
    const { flags, values, operands } = parseOptions(io, 'amch', 'dtr')
    need(io, operands, 1)
    const reference = values['r'] === undefined ? null : io.fs.stat(io.path(values['r'])).mtimeMs
    const stamp = values['d'] ?? values['t']
    const timeMs = reference ?? (stamp === undefined ? Date.now() : parseDate(stamp, io.android.timeZone))
    if (timeMs === null) throw new UsageError(`bad date ${stamp ?? ''}`)
    return each(
      io,
      operands,
      async (path) => {
        if (io.fs.tryStat(path) === null) {
          if (flags.has('c')) return
          const writer = await io.fs.openWrite(path, { how: 'keep' })
          await writer.close()
        }
        io.fs.utimes(path, timeMs)
      },
      'quoted',
    )
  },
  chmod: (io) => {
    const recursive = io.args[0] === '-R'
    const [mode, ...operands] = recursive ? io.args.slice(1) : io.args
    need(io, operands, 1)
    const change = (path: string): void => {
      const stat = io.fs.stat(path)
      io.fs.chmod(path, parseMode(mode ?? '', stat.mode & 0o7777, stat.kind === 'directory'))
      if (recursive && stat.kind === 'directory')
        for (const name of io.fs.readdir(path)) change(absolute(path, name))
    }
    return each(io, operands, change)
  },
  dd: async (io) => {
    const given = Object.fromEntries(io.args.map((arg) => arg.split(/=(.*)/s, 2) as [string, string]))
    const size = sizeOf(given['bs'] ?? '512')
    const limit = given['count'] === undefined ? Infinity : Number(given['count']) * size
    let skip = Number(given['skip'] ?? '0') * size
    if (given['seek'] !== undefined) throw new UsageError('seek: not supported by this phone')
    const input = given['if'] === undefined ? null : await openInput(io, given['if'])
    const output = given['of'] === undefined ? null : await io.fs.openWrite(io.path(given['of']))
    let done = 0
    try {
      const source = input ?? io.stdin
      for (let chunk = await source.read(); chunk !== null && done < limit; chunk = await source.read()) {
        const rest = chunk.subarray(Math.min(skip, chunk.length))
        skip -= chunk.length - rest.length
        const part = rest.subarray(0, Math.min(rest.length, limit - done))
        await (output ?? io.stdout).write(part)
        done += part.length
        if (done >= limit) break
      }
    } finally {
      await input?.close()
      await output?.close()
    }
    const whole = Math.floor(done / size)
    const partial = done % size === 0 ? 0 : 1
    await io.err(`${whole}+${partial} records in\n${whole}+${partial} records out\n${done} bytes copied\n`)
    return 0
  },
}

async function openInput(io: CommandIo, name: string) {
  try {
    return await io.fs.openRead(io.path(name))
  } catch (error) {
    if (error instanceof FsError) throw new UsageError(`${name}: ${error.message}`)
    throw error
  }
}
