/** Resolves a path in the tree, with links and search permissions, like Linux' `path_lookup`. */
import { allowed, type Credentials, may } from './access.js'
import { FsError } from './errors.js'
import type { DirectoryNode, Inode } from './inode.js'

/** Linux' MAXSYMLINKS. */
const maxLinks = 40
const maxPathBytes = 4095

export interface Location {
  /** Null for the root itself. */
  parent: DirectoryNode | null
  name: string
  /** Null when the last part of the path does not exist. */
  node: Inode | null
  /** The path without links, `.` and `..`. */
  path: string
}

/**
 * @param follow whether a link in the last component is followed; `'parent'` means false, for the creation of
 * a new entry there
 * @throws FsError ENOENT, ENOTDIR, EACCES, ELOOP
 */
export function locate(
  rootNode: DirectoryNode,
  who: Credentials,
  path: string,
  follow: boolean | 'parent',
): Location {
  if (path === '') throw new FsError('ENOENT', path)
  if (path.length > maxPathBytes) throw new FsError('ENAMETOOLONG', path)
  const trail: { name: string; node: DirectoryNode }[] = [{ name: '', node: rootNode }]
  let parts = split(path)
  // A path that ends in a slash names a directory, so a link there is followed.
  const followLast = follow === true || (follow === false && path.endsWith('/'))
  let links = 0
  let last: { name: string; node: Inode | null } | null = null
  for (let part = parts.shift(); part !== undefined; part = parts.shift()) {
    if (last !== null) throw new FsError(last.node === null ? 'ENOENT' : 'ENOTDIR', path)
    const here = trail.at(-1)?.node ?? rootNode
    if (!allowed(who, here, may.execute)) throw new FsError('EACCES', path)
    if (part === '.') continue
    if (part === '..') {
      if (trail.length > 1) trail.pop()
      continue
    }
    const next = here.entries.get(part) ?? null
    if (next?.kind === 'link' && (parts.length > 0 || followLast)) {
      if (++links > maxLinks) throw new FsError('ELOOP', path)
      if (next.target.startsWith('/')) trail.length = 1
      parts = [...split(next.target), ...parts]
    } else if (next?.kind === 'directory') trail.push({ name: part, node: next })
    else last = { name: part, node: next }
  }
  const names = trail.slice(1).map((step) => step.name)
  if (last !== null) {
    if (path.endsWith('/') && last.node !== null && follow !== 'parent') throw new FsError('ENOTDIR', path)
    return { parent: trail.at(-1)?.node ?? rootNode, ...last, path: `/${[...names, last.name].join('/')}` }
  }
  const here = trail.at(-1)
  return {
    parent: trail.at(-2)?.node ?? null,
    name: here?.name ?? '',
    node: here?.node ?? rootNode,
    path: `/${names.join('/')}`,
  }
}

function split(path: string): string[] {
  return path.split('/').filter((part) => part !== '')
}
