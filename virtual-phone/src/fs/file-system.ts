/**
 * The phone's file system: a tree in memory whose file contents are on the machine's disk (`blobs.ts`). Each
 * `FileSystem` is a view with one user's rights on the shared `Volume`. Paths are byte strings and absolute;
 * `..` and links are resolved as Linux does. Host files cannot be reached.
 */
import { BrokenPipe } from '../android/streams.js'
import { allowed, aid, type Credentials, may, mayRemove } from './access.js'
import { FsError } from './errors.js'
import { type DirectoryNode, type FileNode, type Inode, type Stat, statOf } from './inode.js'
import {
  endedBy,
  openForRead,
  openForWrite,
  type FileReader,
  type FileWriter,
  type WriteMode,
} from './open-file.js'
import { locate, type Location } from './lookup.js'
import type { Volume } from './volume.js'

interface WriteOptions {
  /** The default is `truncate`. */
  how?: WriteMode
  /** Permission bits of a new file. */
  mode?: number
}

export class FileSystem {
  constructor(
    readonly volume: Volume,
    readonly who: Credentials,
    private readonly signal: AbortSignal | null = null,
  ) {}

  as(who: Credentials): FileSystem {
    return new FileSystem(this.volume, who, this.signal)
  }

  /**
   * Returns a view for one process. After the process has ended, each call throws `BrokenPipe`, so that no
   * operation continues, in particular after a wipe.
   */
  until(signal: AbortSignal): FileSystem {
    return new FileSystem(this.volume, this.who, signal)
  }

  stat(path: string): Stat {
    return statOf(this.node(path, true))
  }

  lstat(path: string): Stat {
    return statOf(this.node(path, false))
  }

  /** Null when the path does not exist, or this user cannot see it. */
  tryStat(path: string): Stat | null {
    return unlessFsError(() => this.stat(path))
  }

  tryLstat(path: string): Stat | null {
    return unlessFsError(() => this.lstat(path))
  }

  access(path: string, want: number): boolean {
    return unlessFsError(() => allowed(this.who, this.node(path, true), want)) ?? false
  }

  /** Returns names, sorted by byte value, without `.` and `..`. */
  readdir(path: string): string[] {
    const node = this.node(path, true)
    if (node.kind !== 'directory') throw new FsError('ENOTDIR', path)
    if (!allowed(this.who, node, may.read)) throw new FsError('EACCES', path)
    return [...node.entries.keys()].sort()
  }

  readlink(path: string): string {
    const node = this.node(path, false)
    if (node.kind !== 'link') throw new FsError('EINVAL', path)
    return node.target
  }

  /** Returns the absolute path without links. The whole path must exist. */
  realpath(path: string): string {
    const found = this.locate(path, true)
    if (found.node === null) throw new FsError('ENOENT', path)
    return found.path
  }

  mkdir(path: string, mode = 0o777): void {
    const { parent, name } = this.vacancy(path)
    const shared = parent.shared
    this.volume.add(parent, name, {
      ...this.ownership(parent),
      kind: 'directory',
      mode: shared ? 0o2770 : mode & 0o7777,
      entries: new Map(),
      shared,
    })
  }

  /** Like `mkdir -p`. */
  mkdirs(path: string, mode = 0o777): void {
    let at = ''
    for (const name of path.split('/').filter((part) => part !== '')) {
      at += `/${name}`
      if (this.tryStat(at)?.kind === 'directory') continue
      this.mkdir(at, mode)
    }
  }

  symlink(target: string, path: string): void {
    const { parent, name } = this.vacancy(path)
    if (parent.shared) throw new FsError('EPERM', path)
    this.volume.add(parent, name, { ...this.ownership(parent), kind: 'link', mode: 0o777, target })
  }

  async unlink(path: string): Promise<void> {
    const { parent, name, node } = this.entry(path)
    if (node.kind === 'directory') throw new FsError('EISDIR', path)
    await this.volume.remove(parent, name)
  }

  async rmdir(path: string): Promise<void> {
    const { parent, name, node } = this.entry(path)
    if (node.kind !== 'directory') throw new FsError('ENOTDIR', path)
    if (node.entries.size > 0) throw new FsError('ENOTEMPTY', path)
    await this.volume.remove(parent, name)
  }

  /** Like `rm -r`. */
  async removeTree(path: string): Promise<void> {
    if (this.lstat(path).kind !== 'directory') return this.unlink(path)
    for (const name of this.readdir(path)) await this.removeTree(`${path}/${name}`)
    await this.rmdir(path)
  }

  async rename(from: string, to: string): Promise<void> {
    const source = this.entry(from)
    const target = this.locate(to, false)
    if (target.parent === null) throw new FsError('EBUSY', to)
    if (target.node === source.node) return
    if (target.parent.shared !== source.parent.shared) throw new FsError('EXDEV', to)
    if (source.node.kind === 'directory' && within(source.node, target.parent))
      throw new FsError('EINVAL', to)
    if (target.node === null) {
      if (!allowed(this.who, target.parent, may.write | may.execute)) throw new FsError('EACCES', to)
    } else {
      if (!mayRemove(this.who, target.parent, target.node)) throw new FsError('EACCES', to)
      if (target.node.kind === 'directory') {
        if (source.node.kind !== 'directory') throw new FsError('EISDIR', to)
        if (target.node.entries.size > 0) throw new FsError('ENOTEMPTY', to)
      } else if (source.node.kind === 'directory') throw new FsError('ENOTDIR', to)
      await this.volume.remove(target.parent, target.name)
    }
    this.volume.move(source.parent, source.name, target.parent, target.name)
  }

  chmod(path: string, mode: number): void {
    const node = this.node(path, true)
    if (this.who.uid !== aid.root && this.who.uid !== node.uid && node.uid !== aid.mediaProvider) {
      throw new FsError('EPERM', path)
    }
    if (node.uid === aid.mediaProvider) return
    node.mode = mode & 0o7777
    this.volume.changed()
  }

  chown(path: string, uid: number, gid: number): void {
    const node = this.node(path, true)
    if (this.who.uid !== aid.root) throw new FsError('EPERM', path)
    Object.assign(node, { uid, gid })
    this.volume.changed()
  }

  utimes(path: string, mtimeMs: number): void {
    const node = this.node(path, true)
    if (this.who.uid !== node.uid && !allowed(this.who, node, may.write)) throw new FsError('EACCES', path)
    node.mtimeMs = mtimeMs
    this.volume.changed()
  }

  /** Opens a file for reading. A reader that is not read to its end must be closed. */
  async openRead(path: string): Promise<FileReader> {
    const node = this.node(path, true)
    if (node.kind === 'directory') throw new FsError('EISDIR', path)
    if (!allowed(this.who, node, may.read)) throw new FsError('EACCES', path)
    return endedBy(await openForRead(this.volume, node), this.signal)
  }

  /** Opens a file for writing, which is created if it is missing. The writer must be closed. */
  async openWrite(path: string, options: WriteOptions = {}): Promise<FileWriter> {
    const found = this.locate(path, true)
    let node = found.node
    if (node === null) node = this.create(path, options.mode ?? 0o666)
    if (node.kind === 'directory') throw new FsError('EISDIR', path)
    if (!allowed(this.who, node, may.write)) throw new FsError('EACCES', path)
    if (node.kind === 'generated' || node.kind === 'link') throw new FsError('EROFS', path)
    const writer = await openForWrite(this.volume, node, options.how ?? 'truncate', path)
    return endedBy(writer, this.signal)
  }

  async writeFile(path: string, content: Buffer, mode = 0o644): Promise<void> {
    const writer = await this.openWrite(path, { mode })
    try {
      await writer.write(content)
    } finally {
      await writer.close()
    }
  }

  /** @param mode permission bits of a new file */
  async copyFile(from: string, to: string, mode: number): Promise<void> {
    const reader = await this.openRead(from)
    try {
      const writer = await this.openWrite(to, { mode })
      try {
        for (let chunk = await reader.read(); chunk !== null; chunk = await reader.read())
          await writer.write(chunk)
      } finally {
        await writer.close()
      }
    } finally {
      await reader.close()
    }
  }

  /** Reads the whole file into memory: for small files only. */
  async readFile(path: string): Promise<Buffer> {
    const reader = await this.openRead(path)
    const chunks: Buffer[] = []
    for (let chunk = await reader.read(); chunk !== null; chunk = await reader.read()) chunks.push(chunk)
    return Buffer.concat(chunks)
  }

  private create(path: string, mode: number): FileNode {
    const { parent, name } = this.vacancy(path)
    const bits = parent.shared ? 0o660 : mode & 0o7777
    const node: FileNode = { ...this.ownership(parent), kind: 'file', mode: bits, size: 0 }
    this.volume.add(parent, name, node)
    return node
  }

  private locate(path: string, follow: boolean | 'parent'): Location {
    if (this.signal?.aborted === true) throw new BrokenPipe()
    return locate(this.volume.root, this.who, path, follow)
  }

  private node(path: string, follow: boolean): Inode {
    const { node } = this.locate(path, follow)
    if (node === null) throw new FsError('ENOENT', path)
    return node
  }

  /** Returns the parent directory and the name of a new entry. */
  private vacancy(path: string): { parent: DirectoryNode; name: string } {
    const { parent, name, node } = this.locate(path, 'parent')
    if (node !== null || parent === null) throw new FsError('EEXIST', path)
    if (!allowed(this.who, parent, may.write | may.execute)) throw new FsError('EACCES', path)
    if (name.length > 255) throw new FsError('ENAMETOOLONG', path)
    return { parent, name }
  }

  /** Finds an entry that this user may remove. */
  private entry(path: string): { parent: DirectoryNode; name: string; node: Inode } {
    const { parent, name, node } = this.locate(path, false)
    if (node === null) throw new FsError('ENOENT', path)
    if (parent === null) throw new FsError('EBUSY', path)
    if (!mayRemove(this.who, parent, node)) throw new FsError('EACCES', path)
    return { parent, name, node }
  }

  private ownership(parent: DirectoryNode): { ino: number; uid: number; gid: number; mtimeMs: number } {
    const gid = (parent.mode & 0o2000) === 0 ? this.who.gid : parent.gid
    return {
      ino: this.volume.newIno(),
      uid: parent.shared ? aid.mediaProvider : this.who.uid,
      gid: parent.shared ? aid.mediaRw : gid,
      mtimeMs: Date.now(),
    }
  }
}

function within(directory: DirectoryNode, node: DirectoryNode): boolean {
  if (directory === node) return true
  return [...directory.entries.values()].some((entry) => entry.kind === 'directory' && within(entry, node))
}

function unlessFsError<T>(read: () => T): T | null {
  try {
    return read()
  } catch (error) {
    if (error instanceof FsError) return null
    throw error
  }
}
