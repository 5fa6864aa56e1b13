/** Opens the targets of a command's redirections. Used by `interpreter.ts`. */
import type { FileSystem } from '../fs/file-system.js'
import type { FileReader, FileWriter } from '../fs/open-file.js'
import type { Redirect } from './ast.js'
import { bytesOf } from './bytes.js'
import type { Expander } from './expand.js'
import { FsError } from '../fs/errors.js'
import { absolute } from './process.js'
import type { Descriptor, Descriptors } from './state.js'

export interface Opened {
  descriptors: Descriptors
  close(): Promise<void>
}

/** A failed redirection: the command does not run. */
export class RedirectError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'RedirectError'
  }
}

export async function openRedirects(
  redirects: readonly Redirect[],
  base: Descriptors,
  context: { fs: FileSystem; cwd: string; expander: Expander; noClobber: boolean },
): Promise<Opened> {
  const descriptors = new Map(base)
  const open: (FileReader | FileWriter)[] = []
  const close = async () => {
    for (const file of open) await file.close()
  }
  try {
    for (const redirect of redirects) {
      const text = await context.expander.text(redirect.word)
      descriptors.set(redirect.fd, await openOne(redirect, text, descriptors, context, open))
    }
  } catch (error) {
    await close()
    throw error
  }
  return { descriptors, close }
}

async function openOne(
  redirect: Redirect,
  text: string,
  descriptors: Descriptors,
  context: { fs: FileSystem; cwd: string; noClobber: boolean },
  open: (FileReader | FileWriter)[],
): Promise<Descriptor> {
  if (redirect.how === 'text') return { source: textSource(text) }
  if (redirect.how === 'duplicate') {
    if (text === '-') return {}
    const other = /^\d+$/.test(text) ? descriptors.get(Number(text)) : undefined
    if (other === undefined) throw new RedirectError(`${text}: bad file descriptor`)
    return other
  }
  const path = absolute(context.cwd, text)
  if (path === '/dev/tty')
    throw new RedirectError(
      `can't ${redirect.how === 'read' ? 'open' : 'create'} /dev/tty: No such device or address`,
    )
  try {
    if (redirect.how === 'write' && context.noClobber && context.fs.tryStat(path)?.kind === 'file')
      throw new FsError('EEXIST', path)
    if (redirect.how === 'read') {
      const reader = await context.fs.openRead(path)
      open.push(reader)
      return { source: reader }
    }
    const truncates = redirect.how === 'write' || redirect.how === 'overwrite'
    const how = redirect.how === 'append' ? 'append' : truncates ? 'truncate' : 'keep'
    const writer = await context.fs.openWrite(path, { how })
    open.push(writer)
    return { sink: writer }
  } catch (error) {
    if (!(error instanceof FsError)) throw error
    const verb =
      redirect.how === 'read' || error.code !== 'ENOENT'
        ? redirect.how === 'read'
          ? 'open'
          : 'create'
        : 'create'
    throw new RedirectError(`can't ${verb} ${text}: ${error.message}`)
  }
}

function textSource(text: string): { read(): Promise<Buffer | null> } {
  let rest: Buffer | null = bytesOf(text)
  return {
    read: () => {
      const chunk = rest
      rest = null
      return Promise.resolve(chunk?.length === 0 ? null : chunk)
    },
  }
}
