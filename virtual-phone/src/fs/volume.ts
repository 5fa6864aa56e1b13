/**
 * The tree that all views share, and its persistent part: `/data` and the shared storage. `layout.ts` creates
 * the rest, the system image, at each start. Owned by `android/android.ts`.
 */
import type { Blobs } from './blobs.js'
import { FsError } from './errors.js'
import type { DirectoryNode, FileNode, Inode } from './inode.js'
import { fromSaved, type SavedNode, toSaved } from './saved.js'

/** The machine's disk space for one phone's files, independent of `df` on the phone. */
const quotaBytes = 8 * 1024 ** 3
const maxInodes = 200_000

export class Volume {
  root: DirectoryNode
  /** Simulates storage that other files have filled. */
  full = false
  private nextIno = 1000
  private usedBytes = 0
  private inodes = 0

  /** `onChange` is called after each change that must be saved. */
  constructor(
    readonly blobs: Blobs,
    private readonly onChange: () => void,
  ) {
    this.root = emptyDirectory(2)
  }

  get used(): number {
    return this.usedBytes
  }

  newIno(): number {
    return this.nextIno++
  }

  changed(): void {
    this.onChange()
  }

  hasRoom(bytes: number): boolean {
    return !this.full && this.usedBytes + bytes <= quotaBytes
  }

  resize(node: FileNode, size: number): void {
    this.usedBytes += size - node.size
    node.size = size
  }

  add(parent: DirectoryNode, name: string, node: Inode): void {
    if (this.full || this.inodes >= maxInodes) throw new FsError('ENOSPC', name)
    this.inodes += 1
    parent.entries.set(name, node)
    parent.mtimeMs = Date.now()
    this.onChange()
  }

  async remove(parent: DirectoryNode, name: string): Promise<void> {
    const node = parent.entries.get(name)
    if (node === undefined) return
    parent.entries.delete(name)
    parent.mtimeMs = Date.now()
    await this.discard(node)
    this.onChange()
  }

  move(from: DirectoryNode, fromName: string, to: DirectoryNode, toName: string): void {
    const node = from.entries.get(fromName)
    if (node === undefined) return
    from.entries.delete(fromName)
    to.entries.set(toName, node)
    from.mtimeMs = to.mtimeMs = Date.now()
    this.onChange()
  }

  /** Frees the file contents of a whole tree. */
  async discard(node: Inode): Promise<void> {
    this.inodes -= 1
    if (node.kind === 'file') {
      this.resize(node, 0)
      await this.blobs.remove(node.ino)
    }
    if (node.kind === 'directory') for (const entry of node.entries.values()) await this.discard(entry)
  }

  /** Returns the persistent part, as JSON. */
  save(kept: readonly DirectoryNode[]): SavedVolume {
    return { nextIno: this.nextIno, trees: kept.map(toSaved) }
  }

  /** Loads the trees in the order of `save`; removes contents that no tree refers to. */
  load(saved: SavedVolume): DirectoryNode[] {
    this.nextIno = saved.nextIno
    const known = new Set<number>()
    const trees = saved.trees.map(fromSaved).filter((node) => node.kind === 'directory')
    const visit = (node: Inode): void => {
      this.inodes += 1
      this.nextIno = Math.max(this.nextIno, node.ino + 1)
      if (node.kind === 'file') {
        known.add(node.ino)
        this.usedBytes += node.size
      }
      if (node.kind === 'directory') for (const entry of node.entries.values()) visit(entry)
    }
    trees.forEach(visit)
    this.blobs.keepOnly(known)
    return trees
  }
}

export interface SavedVolume {
  nextIno: number
  trees: SavedNode[]
}

function emptyDirectory(ino: number): DirectoryNode {
  return {
    kind: 'directory',
    ino,
    mode: 0o755,
    uid: 0,
    gid: 0,
    mtimeMs: Date.now(),
    entries: new Map(),
    shared: false,
  }
}
