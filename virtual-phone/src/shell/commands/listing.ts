/** ls and stat. */
import { nameOf } from '../../fs/access.js'
import { FsError } from '../../fs/errors.js'
import type { Stat } from '../../fs/inode.js'
import { type CommandIo, type CommandTable, UsageError } from '../command.js'
import { absolute } from '../process.js'
import { formatDate } from './date.js'
import { modeText } from './mode.js'
import { parseOptions } from './options.js'
import { human } from './sizes.js'

interface Entry {
  name: string
  path: string
  stat: Stat | null
}

function isoTime(timeMs: number, zone: string, nanoseconds = false): string {
  const format = nanoseconds ? '%Y-%m-%d %H:%M:%S.%N %z' : '%Y-%m-%d %H:%M'
  return formatDate(format, timeMs, zone)
}

async function printEntries(io: CommandIo, entries: Entry[], flags: ReadonlySet<string>): Promise<void> {
  if (flags.has('t')) entries.sort((a, b) => (b.stat?.mtimeMs ?? 0) - (a.stat?.mtimeMs ?? 0))
  if (flags.has('S')) entries.sort((a, b) => (b.stat?.size ?? 0) - (a.stat?.size ?? 0))
  if (flags.has('r')) entries.reverse()
  const mark = ({ stat }: Entry) => {
    if (stat?.kind === 'directory') return flags.has('p') || flags.has('F') ? '/' : ''
    if (!flags.has('F') || stat === null) return ''
    return stat.kind === 'link' ? '@' : (stat.mode & 0o111) !== 0 ? '*' : ''
  }
  const shownName = ({ name }: Entry) =>
    flags.has('b')
      ? name.replace(/[ \\]/g, '\\$&').replace(/\n/g, '\\n')
      : flags.has('q')
        ? Array.from(name, (char) => (char < ' ' || char === '\x7f' ? '?' : char)).join('')
        : name
  if (!flags.has('l')) {
    for (const entry of entries) {
      const ino = flags.has('i') ? `${entry.stat?.ino ?? 0} ` : ''
      await io.out(`${ino}${shownName(entry)}${mark(entry)}\n`)
    }
    return
  }
  const rows = entries.map((entry) => {
    const { stat } = entry
    if (stat === null) return ['?????????', '?', '?', '?', '?', '?', entry.name]
    const target = stat.kind === 'link' ? ` -> ${io.fs.readlink(entry.path)}` : ''
    return [
      modeText(stat.mode),
      String(stat.nlink),
      flags.has('n') ? String(stat.uid) : nameOf(stat.uid),
      flags.has('n') ? String(stat.gid) : nameOf(stat.gid),
      flags.has('h') ? human(stat.size) : String(stat.size),
      isoTime(stat.mtimeMs, io.android.timeZone),
      shownName(entry) + mark(entry) + target,
    ]
  })
  const width = (column: number) => Math.max(...rows.map((row) => row[column]?.length ?? 0))
  for (const [mode = '', links = '', user = '', group = '', size = '', time = '', name = ''] of rows) {
    const left = `${mode} ${links.padStart(width(1))} ${user.padEnd(width(2))} ${group.padEnd(width(3))}`
    await io.out(`${left} ${size.padStart(width(4))} ${time} ${name}\n`)
  }
}

async function list(io: CommandIo): Promise<number> {
  const { flags, operands } = parseOptions(io, 'aAbqlhtSrRdFpn1iZLH')
  let status = 0
  const files: Entry[] = []
  const folders: Entry[] = []
  for (const name of operands.length === 0 ? ['.'] : [...operands].sort()) {
    const path = io.path(name)
    try {
      const follow =
        !(flags.has('l') || flags.has('F') || flags.has('d')) || name.endsWith('/') || flags.has('L')
      const stat = follow ? (io.fs.tryStat(path) ?? io.fs.lstat(path)) : io.fs.lstat(path)
      const isFolder = stat.kind === 'directory' && !flags.has('d')
      ;(isFolder ? folders : files).push({ name, path, stat })
    } catch (error) {
      if (!(error instanceof FsError)) throw error
      await io.err(`ls: ${name}: ${error.message}\n`)
      status = 1
    }
  }
  await printEntries(io, files, flags)
  const titled = operands.length > 1 || flags.has('R')
  for (let at = 0; at < folders.length; at++) {
    const folder = folders[at]
    if (folder === undefined) break
    try {
      const names = io.fs
        .readdir(folder.path)
        .filter((name) => flags.has('a') || flags.has('A') || !name.startsWith('.'))
      const shown = flags.has('a') ? ['.', '..', ...names] : names
      const entries = shown.map((name): Entry => {
        const path = absolute(folder.path, name)
        return { name, path, stat: io.fs.tryLstat(path) }
      })
      if (titled) await io.out(`${at > 0 || files.length > 0 ? '\n' : ''}${folder.name}:\n`)
      if (flags.has('l')) {
        const blocks = entries.reduce((sum, entry) => sum + Math.ceil((entry.stat?.size ?? 0) / 4096) * 4, 0)
        await io.out(`total ${blocks}\n`)
      }
      await printEntries(io, entries, flags)
      if (flags.has('R')) {
        const inner = entries.filter(
          (entry) => entry.stat?.kind === 'directory' && entry.name !== '.' && entry.name !== '..',
        )
        folders.splice(
          at + 1,
          0,
          ...inner.map((entry) => ({ ...entry, name: absolute(folder.name, entry.name) })),
        )
      }
    } catch (error) {
      if (!(error instanceof FsError)) throw error
      await io.err(`ls: ${folder.name}: ${error.message}\n`)
      status = 1
    }
  }
  return status
}

const kindNames = {
  directory: 'directory',
  file: 'regular file',
  generated: 'regular file',
  link: 'symbolic link',
  device: 'character special file',
}

function statFormat(
  format: string,
  name: string,
  stat: Stat,
  { zone, target }: { zone: string; target: string | null },
): string {
  const octal = (stat.mode & 0o7777).toString(8)
  const fields: Readonly<Record<string, string>> = {
    a: octal,
    A: modeText(stat.mode),
    b: String(Math.ceil(stat.size / 512)),
    B: '512',
    d: 'fe2d',
    f: stat.mode.toString(16),
    F: stat.size === 0 && stat.kind === 'file' ? 'regular empty file' : kindNames[stat.kind],
    g: String(stat.gid),
    G: nameOf(stat.gid),
    h: String(stat.nlink),
    i: String(stat.ino),
    n: name,
    N: target === null ? name : `${name} -> '${target}'`,
    o: '4096',
    s: String(stat.size),
    u: String(stat.uid),
    U: nameOf(stat.uid),
  }
  for (const [letter, upper] of [
    ['x', 'X'],
    ['y', 'Y'],
    ['z', 'Z'],
  ] as const) {
    Object.assign(fields, {
      [letter]: isoTime(stat.mtimeMs, zone, true),
      [upper]: String(Math.floor(stat.mtimeMs / 1000)),
    })
  }
  return format.replace(/%([a-zA-Z%])/g, (all, letter: string) =>
    letter === '%' ? '%' : (fields[letter] ?? all),
  )
}

const longStat = `  File: %N
  Size: %s\t Blocks: %b\t IO Blocks: %o\t%F
Device: %dh\t Inode: %i\t Links: %h
Access: (%a/%A)\tUid: (%u/%U)\tGid: (%g/%G)
Access: %x
Modify: %y
Change: %z`

export const listingCommands: CommandTable = {
  ls: list,
  stat: async (io) => {
    const { flags, values, operands } = parseOptions(io, 'Lft', 'c')
    if (operands.length === 0) throw new UsageError(`Needs 1 argument (see "${io.name} --help")`)
    let status = 0
    for (const name of operands) {
      try {
        const stat = flags.has('L') ? io.fs.stat(io.path(name)) : io.fs.lstat(io.path(name))
        const target = stat.kind === 'link' ? io.fs.readlink(io.path(name)) : null
        await io.out(
          `${statFormat(values['c'] ?? longStat, name, stat, { zone: io.android.timeZone, target })}\n`,
        )
      } catch (error) {
        if (!(error instanceof FsError)) throw error
        await io.err(`stat: '${name}': ${error.message}\n`)
        status = 1
      }
    }
    return status
  },
}
