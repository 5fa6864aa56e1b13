/** basename, dirname, realpath, readlink, which: commands for names and paths. */
import { FsError } from '../../fs/errors.js'
import { type CommandIo, type CommandTable, UsageError } from '../command.js'
import { pathOfCommand } from '../find-command.js'
import { absolute } from '../process.js'
import { parseOptions } from './options.js'

/** The last component can be missing. */
function realPath(io: CommandIo, name: string): string {
  const path = io.path(name)
  if (io.fs.tryLstat(path) !== null) return io.fs.realpath(path)
  const at = path.lastIndexOf('/')
  return absolute(io.fs.realpath(path.slice(0, at) || '/'), path.slice(at + 1))
}

export const pathCommands: CommandTable = {
  basename: async (io) => {
    const [name, suffix] = io.args
    if (name === undefined) throw new UsageError(`Needs 1 argument (see "${io.name} --help")`)
    const base = name.replace(/\/+$/, '').split('/').at(-1) ?? ''
    const shown = base === '' ? '/' : base
    const cut =
      suffix !== undefined && shown !== suffix && shown.endsWith(suffix)
        ? shown.slice(0, -suffix.length)
        : shown
    await io.out(`${cut}\n`)
    return 0
  },
  dirname: async (io) => {
    const [name] = io.args
    if (name === undefined) throw new UsageError(`Needs 1 argument (see "${io.name} --help")`)
    const trimmed = name.replace(/(?!^)\/+$/, '')
    const at = trimmed.lastIndexOf('/')
    await io.out(`${at === -1 ? '.' : at === 0 ? '/' : trimmed.slice(0, at)}\n`)
    return 0
  },
  realpath: async (io) => {
    let status = 0
    for (const name of io.args) {
      try {
        await io.out(`${realPath(io, name)}\n`)
      } catch (error) {
        if (!(error instanceof FsError)) throw error
        await io.err(`realpath: ${name}: ${error.message}\n`)
        status = 1
      }
    }
    return status
  },
  readlink: async (io) => {
    const { flags, operands } = parseOptions(io, 'fenmq')
    let status = 0
    const newline = flags.has('n') ? '' : '\n'
    for (const name of operands) {
      try {
        const canonical = flags.has('f') || flags.has('e')
        await io.out(`${canonical ? io.fs.realpath(io.path(name)) : io.fs.readlink(io.path(name))}${newline}`)
      } catch (error) {
        if (!(error instanceof FsError)) throw error
        status = 1
      }
    }
    return status
  },
  which: async (io) => {
    let status = 0
    for (const name of io.args.filter((arg) => arg !== '-a')) {
      const path = await pathOfCommand(io.android, name, { cwd: io.cwd, path: io.env['PATH'] ?? '' })
      if (path === null) status = 1
      else await io.out(`${path}\n`)
    }
    return status
  },
}
