/** ls, stat, find, df, du: reading the file tree. */
import { nameOf } from '../../fs/access.js'
import { FsError } from '../../fs/errors.js'
import type { Stat } from '../../fs/inode.js'
import { type CommandIo, type CommandTable, UsageError } from '../command.js'
import { absolute } from '../process.js'
import { formatDate } from './date.js'
import { modeText } from './mode.js'
import { parseOptions } from './options.js'

interface Entry {
  name: string
  path: string
  stat: Stat | null
}

function human(bytes: number): string {
  let [value, unit] = [bytes, 0]
  while (value >= 1024 && unit < 4) {
    value /= 1024
    unit += 1
  }
  return unit === 0
    ? String(bytes)
    : `${value < 10 ? value.toFixed(1) : Math.round(value)}${'KMGT'[unit - 1] ?? ''}`
}

function isoTime(timeMs: number, zone: string, nanoseconds = false): string {
  const format = nanoseconds ? '%Y-%m-%d %H:%M:%S.%N %z' : '%Y-%m-%d %H:%M'
  return formatDate(format, timeMs, zone)
}

async function printEntries(io: CommandIo, entries: Entry[], flags: ReadonlySet<string>): Promise<void> {
  if (flags.has('t')) entries.sort((a, b) => (b.stat?.mtimeMs ?? 0) - (a.stat?.mtimeMs ?? 0))
  if (flags.has('S')) entries.sort((a, b) => (b.stat?.size ?? 0) - (a.stat?.size ?? 0))
  if (flags.has('r')) entries.reverse()
  const mark = (entry: Entry) =>
    flags.has('p') || flags.has('F') ? (entry.stat?.kind === 'directory' ? '/' : '') : ''
  if (!flags.has('l')) {
    for (const entry of entries) {
      const ino = flags.has('i') ? `${entry.stat?.ino ?? 0} ` : ''
      await io.out(`${ino}${entry.name}${mark(entry)}\n`)
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
      entry.name + mark(entry) + target,
    ]
  })
  const width = (column: number) => Math.max(...rows.map((row) => row[column]?.length ?? 0))
  for (const [mode = '', links = '', user = '', group = '', size = '', time = '', name = ''] of rows) {
    const left = `${mode} ${links.padStart(width(1))} ${user.padEnd(width(2))} ${group.padEnd(width(3))}`
    await io.out(`${left} ${size.padStart(width(4))} ${time} ${name}\n`)
  }
}

async function list(io: CommandIo): Promise<number> {
  const { flags, operands } = parseOptions(io, 'aAlhtSrRdFpn1iZLH')
  let status = 0
  const files: Entry[] = []
  const folders: Entry[] = []
  for (const name of operands.length === 0 ? ['.'] : operands) {
    const path = io.path(name)
    try {
      const follow = !flags.has('l') || name.endsWith('/') || flags.has('L')
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

function statFormat(format: string, name: string, stat: Stat, zone: string): string {
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
    N: name,
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

interface FindTest {
  (entry: Entry, depth: number): boolean
}

async function find(io: CommandIo): Promise<number> {
  const { compileText, matches } = await import('../pattern.js')
  const at = io.args.findIndex((arg) => arg.startsWith('-') || arg === '!' || arg === '(')
  const roots = at === -1 ? io.args : io.args.slice(0, at)
  const rest = at === -1 ? [] : [...io.args.slice(at)]
  const tests: FindTest[] = []
  let [maxDepth, minDepth] = [Infinity, 0]
  let action: 'print' | 'print0' | 'delete' | 'exec' = 'print'
  let execArgs: string[] = []
  for (let arg = rest.shift(); arg !== undefined; arg = rest.shift()) {
    const value = () => {
      const next = rest.shift()
      if (next === undefined) throw new UsageError(`'${arg}' needs 1 arg`)
      return next
    }
    switch (arg) {
      case '-name':
      case '-iname': {
        const pattern = compileText(arg === '-iname' ? value().toLowerCase() : value())
        const lower = arg === '-iname'
        tests.push((e) => {
          const base = e.path.split('/').at(-1) ?? ''
          return matches(pattern, lower ? base.toLowerCase() : base)
        })
        break
      }
      case '-path': {
        const pattern = compileText(value())
        tests.push((e) => matches(pattern, e.name))
        break
      }
      case '-type': {
        const kinds: Readonly<Record<string, readonly string[]>> = {
          f: ['file', 'generated'],
          d: ['directory'],
          l: ['link'],
          c: ['device'],
        }
        const wanted = kinds[value()] ?? []
        tests.push((e) => wanted.includes(e.stat?.kind ?? ''))
        break
      }
      case '-size': {
        const [, sign = '', count = '0', unit = ''] = /^([-+]?)(\d+)([ckMG]?)$/.exec(value()) ?? []
        const size = Number(count) * ({ c: 1, k: 1024, M: 1024 ** 2, G: 1024 ** 3 }[unit] ?? 512)
        tests.push((e) => {
          const has = e.stat?.size ?? 0
          return sign === '+' ? has > size : sign === '-' ? has < size : Math.ceil(has / (size || 1)) === 1
        })
        break
      }
      case '-maxdepth':
        maxDepth = Number(value())
        break
      case '-mindepth':
        minDepth = Number(value())
        break
      case '-print':
        action = 'print'
        break
      case '-print0':
        action = 'print0'
        break
      case '-delete':
        action = 'delete'
        break
      case '-exec': {
        action = 'exec'
        const end = rest.findIndex((word) => word === ';' || word === '+')
        if (end === -1) throw new UsageError('-exec needs ;')
        execArgs = rest.splice(0, end + 1).slice(0, -1)
        break
      }
      default:
        throw new UsageError(`bad arg '${arg}'`)
    }
  }
  let status = 0
  const visit = async (entry: Entry, depth: number): Promise<void> => {
    const act = async () => {
      if (depth < minDepth || !tests.every((test) => test(entry, depth))) return
      if (action === 'print') await io.out(`${entry.name}\n`)
      else if (action === 'print0') await io.out(`${entry.name}\0`)
      else if (action === 'delete')
        await (entry.stat?.kind === 'directory' ? io.fs.rmdir(entry.path) : io.fs.unlink(entry.path))
      else await io.spawn(execArgs.map((word) => word.replaceAll('{}', entry.name)))
    }
    if (action !== 'delete') await act()
    if (entry.stat?.kind === 'directory' && depth < maxDepth) {
      try {
        for (const name of io.fs.readdir(entry.path)) {
          const path = absolute(entry.path, name)
          await visit({ name: absolute(entry.name, name), path, stat: io.fs.tryLstat(path) }, depth + 1)
        }
      } catch (error) {
        if (!(error instanceof FsError)) throw error
        await io.err(`find: ${entry.name}: ${error.message}\n`)
        status = 1
      }
    }
    if (action === 'delete') await act()
  }
  for (const name of roots.length === 0 ? ['.'] : roots) {
    const stat = io.fs.tryLstat(io.path(name))
    if (stat === null) {
      await io.err(`find: ${name}: No such file or directory\n`)
      status = 1
    } else await visit({ name, path: io.path(name), stat }, 0)
  }
  return status
}

/** Sizes in 1024-byte blocks; the data partition of a 128 GB phone. */
const dataBlocks = 113_246_208
const mounts = [
  ['/dev/block/dm-5', 1_048_576, 1_045_000, '/'],
  ['tmpfs', 4_000_000, 1_200, '/dev'],
  ['/dev/block/dm-45', dataBlocks, 0, '/data'],
  ['/dev/fuse', dataBlocks, 0, '/storage/emulated'],
] as const

async function diskFree(io: CommandIo): Promise<number> {
  const { flags, operands } = parseOptions(io, 'hkPHa')
  const mountOf = (name: string) => {
    const path = io.fs.realpath(io.path(name))
    return [...mounts]
      .reverse()
      .find(([, , , at]) => path === at || path.startsWith(at === '/' ? '/' : `${at}/`))
  }
  const rows = operands.length === 0 ? mounts : operands.map(mountOf).filter((row) => row !== undefined)
  const size = (blocks: number) => (flags.has('h') ? human(blocks * 1024) : String(blocks))
  const head = flags.has('h')
    ? 'Filesystem        Size Used Avail Use% Mounted on'
    : 'Filesystem       1K-blocks    Used Available Use% Mounted on'
  await io.out(`${head}\n`)
  for (const [device, total, fixed, at] of rows) {
    const used = fixed === 0 ? 2_400_000 + Math.ceil(io.android.volume.used / 1024) : fixed
    const percent = `${Math.ceil((used / total) * 100)}%`
    const widths = flags.has('h') ? [4, 4, 5] : [9, 7, 9]
    const [a, b, c] = [total, used, total - used].map((blocks, index) =>
      size(blocks).padStart(widths[index] ?? 0),
    )
    await io.out(`${device.padEnd(17)} ${a ?? ''} ${b ?? ''} ${c ?? ''} ${percent.padStart(4)} ${at}\n`)
  }
  return 0
}

async function diskUsage(io: CommandIo): Promise<number> {
  const { flags, operands } = parseOptions(io, 'shkamH')
  const shown = (bytes: number) => (flags.has('h') ? human(bytes) : String(Math.ceil(bytes / 1024)))
  const visit = async (name: string, path: string, top: boolean): Promise<number> => {
    const stat = io.fs.lstat(path)
    let bytes = Math.ceil(stat.size / 4096) * 4096
    if (stat.kind === 'directory') {
      for (const entry of io.fs.readdir(path))
        bytes += await visit(absolute(name, entry), absolute(path, entry), false)
    }
    if (top || (!flags.has('s') && (stat.kind === 'directory' || flags.has('a'))))
      await io.out(`${shown(bytes)}\t${name}\n`)
    return bytes
  }
  for (const name of operands.length === 0 ? ['.'] : operands) await visit(name, io.path(name), true)
  return 0
}

export const listingCommands: CommandTable = {
  ls: list,
  find,
  df: diskFree,
  du: diskUsage,
  stat: async (io) => {
    const { flags, values, operands } = parseOptions(io, 'Lft', 'c')
    if (operands.length === 0) throw new UsageError('Needs 1 argument')
    let status = 0
    for (const name of operands) {
      try {
        const stat = flags.has('L') ? io.fs.stat(io.path(name)) : io.fs.lstat(io.path(name))
        await io.out(`${statFormat(values['c'] ?? longStat, name, stat, io.android.timeZone)}\n`)
      } catch (error) {
        if (!(error instanceof FsError)) throw error
        await io.err(`stat: '${name}': ${error.message}\n`)
        status = 1
      }
    }
    return status
  },
}
