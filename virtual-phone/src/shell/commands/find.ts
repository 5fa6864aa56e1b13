/** find: visits the file tree. `find-expression.ts` reads the expression. */
import { FsError } from '../../fs/errors.js'
import { type CommandIo, type CommandTable } from '../command.js'
import { absolute } from '../process.js'
import { type FindEntry, parseExpression } from './find-expression.js'

async function find(io: CommandIo): Promise<number> {
  const at = io.args.findIndex((arg) => /^(-.|!$|\($)/.test(arg))
  const roots = at === -1 ? io.args : io.args.slice(0, at)
  const search = parseExpression(at === -1 ? [] : io.args.slice(at))
  let status = 0
  const fail = async (name: string, error: FsError) => {
    await io.err(`find: '${name}': ${error.message}\n`)
    status = 1
  }
  const visit = async (entry: FindEntry): Promise<void> => {
    const act = async () => {
      if (entry.depth < search.minDepth) return true
      return search.run(entry, io)
    }
    const descends = search.depthFirst || (await act())
    if (descends && entry.stat.kind === 'directory' && entry.depth < search.maxDepth) {
      try {
        for (const name of io.fs.readdir(entry.path)) {
          const path = absolute(entry.path, name)
          const stat = io.fs.tryLstat(path)
          if (stat !== null)
            await visit({ name: absolute(entry.name, name), path, stat, depth: entry.depth + 1 })
        }
      } catch (error) {
        if (!(error instanceof FsError)) throw error
        await fail(entry.name, error)
      }
    }
    if (search.depthFirst) await act()
  }
  for (const name of roots.length === 0 ? ['.'] : roots) {
    try {
      const stat = io.fs.lstat(io.path(name))
      await visit({ name, path: io.path(name), stat, depth: 0 })
    } catch (error) {
      if (!(error instanceof FsError)) throw error
      await fail(name, error)
    }
  }
  return (await search.finish(io)) ? status : 1
}

export const findCommands: CommandTable = { find }
