/** Expands `*`, `?` and `[…]` to the names of files. Used by `expand.ts`. */
import type { FileSystem } from '../fs/file-system.js'
import { compile, hasWildcard, matches, type Piece } from './pattern.js'

/** Returns sorted names; empty when no name matches. */
export function expandFileNames(fs: FileSystem, cwd: string, pieces: readonly Piece[]): string[] {
  const segments = splitAtSlashes(pieces)
  const absolute = segments[0]?.length === 0
  let found = [absolute ? '/' : '']
  const rest = absolute ? segments.slice(1) : segments
  for (const [index, segment] of rest.entries()) {
    const last = index === rest.length - 1
    found = found.flatMap((base) => step(fs, cwd, base, segment, last))
  }
  return found
}

function step(fs: FileSystem, cwd: string, base: string, segment: readonly Piece[], last: boolean): string[] {
  const slash = last ? '' : '/'
  const text = segment.map((piece) => piece.text).join('')
  const at = (name: string) => (base.startsWith('/') ? base + name : `${cwd}/${base}${name}`)
  if (!hasWildcard(segment)) return fs.tryLstat(at(text)) === null ? [] : [`${base}${text}${slash}`]
  const pattern = compile(segment)
  const folder = fs.tryStat(at('.'))
  if (folder?.kind !== 'directory' || !fs.access(at('.'), 4)) return []
  return fs
    .readdir(at('.'))
    .filter((name) => (!name.startsWith('.') || text.startsWith('.')) && matches(pattern, name))
    .filter((name) => last || fs.tryStat(at(name))?.kind === 'directory')
    .map((name) => `${base}${name}${slash}`)
}

function splitAtSlashes(pieces: readonly Piece[]): Piece[][] {
  const segments: Piece[][] = [[]]
  for (const piece of pieces) {
    piece.text.split('/').forEach((text, index) => {
      if (index > 0) segments.push([])
      if (text !== '') segments.at(-1)?.push({ text, quoted: piece.quoted })
    })
  }
  return segments
}
