/** find: walks the file tree. */
import { FsError } from '../../fs/errors.js'
import type { Stat } from '../../fs/inode.js'
import { type CommandIo, type CommandTable, UsageError } from '../command.js'
import { compileText, matches } from '../pattern.js'
import { absolute } from '../process.js'

interface Entry {
  name: string
  path: string
  stat: Stat | null
}

interface FindTest {
  (entry: Entry, depth: number): boolean
}

async function find(io: CommandIo): Promise<number> {
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

export const findCommands: CommandTable = { find }
