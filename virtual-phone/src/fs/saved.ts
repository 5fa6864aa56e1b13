/** The tree as JSON, in the phone's state file. Used by `volume.ts`. */
import type { Inode } from './inode.js'

/** `[kind, ino, mode, uid, gid, mtimeMs, …]`: a compact form, because there can be thousands. */
export type SavedNode =
  | ['d', number, number, number, number, number, boolean, Record<string, SavedNode>]
  | ['f', number, number, number, number, number, number]
  | ['l', number, number, number, number, number, string]

export function toSaved(node: Inode): SavedNode {
  const { ino, mode, uid, gid, mtimeMs } = node
  switch (node.kind) {
    case 'directory': {
      const entries = [...node.entries].map(([name, entry]): [string, SavedNode] => [name, toSaved(entry)])
      return ['d', ino, mode, uid, gid, mtimeMs, node.shared, Object.fromEntries(entries)]
    }
    case 'file':
      return ['f', ino, mode, uid, gid, mtimeMs, node.size]
    case 'link':
      return ['l', ino, mode, uid, gid, mtimeMs, node.target]
    case 'generated':
    case 'device':
      throw new Error(`a ${node.kind} node is part of the system image and is not saved`)
  }
}

export function fromSaved(saved: SavedNode): Inode {
  const [kind, ino, mode, uid, gid, mtimeMs] = saved
  const base = { ino, mode, uid, gid, mtimeMs }
  if (kind === 'f') return { ...base, kind: 'file', size: saved[6] }
  if (kind === 'l') return { ...base, kind: 'link', target: saved[6] }
  const entries = new Map(Object.entries(saved[7]).map(([name, entry]) => [name, fromSaved(entry)]))
  return { ...base, kind: 'directory', shared: saved[6], entries }
}
