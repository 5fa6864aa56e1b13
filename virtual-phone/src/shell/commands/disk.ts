/** df and du: the used and free space of the phone. */
import { FsError } from '../../fs/errors.js'
import { type CommandIo, type CommandTable } from '../command.js'
import { absolute } from '../process.js'
import { parseOptions } from './options.js'
import { human } from './sizes.js'

/** Sizes in 1024-byte blocks, of the data partition of a 128 GB phone. */
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
  let status = 0
  const rows = operands.length === 0 ? [...mounts] : []
  for (const name of operands) {
    try {
      rows.push(...[mountOf(name)].filter((row) => row !== undefined))
    } catch (error) {
      if (!(error instanceof FsError)) throw error
      await io.err(`df: '${name}': ${error.message}\n`)
      status = 1
    }
  }
  const size = (blocks: number) => (flags.has('h') ? human(blocks * 1024) : String(blocks))
  const head = flags.has('h')
    ? 'Filesystem        Size Used Avail Use% Mounted on'
    : 'Filesystem       1K-blocks    Used Available Use% Mounted on'
  await io.out(`${head}\n`)
  for (const [device, total, fixed, at] of rows) {
    const full = fixed === 0 && io.android.volume.full
    const used = full ? total : fixed === 0 ? 2_400_000 + Math.ceil(io.android.volume.used / 1024) : fixed
    const percent = `${Math.ceil((used / total) * 100)}%`
    const widths = flags.has('h') ? [4, 4, 5] : [9, 7, 9]
    const [a, b, c] = [total, used, total - used].map((blocks, index) =>
      size(blocks).padStart(widths[index] ?? 0),
    )
    await io.out(`${device.padEnd(17)} ${a ?? ''} ${b ?? ''} ${c ?? ''} ${percent.padStart(4)} ${at}\n`)
  }
  return status
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
  let status = 0
  for (const name of operands.length === 0 ? ['.'] : operands) {
    try {
      await visit(name, io.path(name), true)
    } catch (error) {
      if (!(error instanceof FsError)) throw error
      await io.err(`du: ${name}: ${error.message}\n`)
      status = 1
    }
  }
  return status
}

export const diskCommands: CommandTable = { df: diskFree, du: diskUsage }
