/** The nodes of the phone's file tree. Names and link targets are byte strings (one character per byte). */

/** Type bits of `st_mode`. */
export const typeBits = {
  mask: 0o170000,
  directory: 0o040000,
  file: 0o100000,
  link: 0o120000,
  character: 0o020000,
} as const

interface Base {
  ino: number
  /** Permission bits only. */
  mode: number
  uid: number
  gid: number
  mtimeMs: number
}

export interface DirectoryNode extends Base {
  kind: 'directory'
  entries: Map<string, Inode>
  /** Shared storage: Android's FUSE daemon sets owner and mode, and does not support links. */
  shared: boolean
}

/** A file whose bytes are on the machine's disk, under its inode number. */
export interface FileNode extends Base {
  kind: 'file'
  size: number
}

export interface LinkNode extends Base {
  kind: 'link'
  target: string
}

/** A file of the system image or of `/proc`: generated when it is read, never written. */
export interface GeneratedNode extends Base {
  kind: 'generated'
  content: () => Buffer
}

/** Devices such as `/dev/null`. */
export interface DeviceNode extends Base {
  kind: 'device'
  /** Returns the next bytes; null at the end of the file. */
  read: () => Buffer | null
}

export type Inode = DirectoryNode | FileNode | LinkNode | GeneratedNode | DeviceNode

export interface Stat {
  kind: Inode['kind']
  ino: number
  /** The mode, including the type bits. */
  mode: number
  uid: number
  gid: number
  size: number
  mtimeMs: number
  nlink: number
}

export function statOf(node: Inode): Stat {
  const { kind, ino, uid, gid, mtimeMs } = node
  return {
    kind,
    ino,
    uid,
    gid,
    mtimeMs,
    mode: node.mode | typeOf(node),
    size: sizeOf(node),
    nlink: linksOf(node),
  }
}

function typeOf(node: Inode): number {
  switch (node.kind) {
    case 'directory':
      return typeBits.directory
    case 'link':
      return typeBits.link
    case 'device':
      return typeBits.character
    case 'file':
    case 'generated':
      return typeBits.file
  }
}

function sizeOf(node: Inode): number {
  switch (node.kind) {
    case 'directory':
      return 3452
    case 'link':
      return node.target.length
    case 'device':
      return 0
    case 'file':
      return node.size
    case 'generated':
      return node.content().length
  }
}

function linksOf(node: Inode): number {
  if (node.kind !== 'directory') return 1
  return 2 + [...node.entries.values()].filter((entry) => entry.kind === 'directory').length
}
