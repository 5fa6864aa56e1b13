/**
 * Stores the bytes of the phone's files on the machine: one file per inode number, in one folder of the
 * phone's data. A file name chosen by a tenant never becomes a path of the machine.
 */
import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { type FileHandle, open, rm } from 'node:fs/promises'
import { join } from 'node:path'

export class Blobs {
  constructor(private readonly folder: string) {
    mkdirSync(folder, { recursive: true })
  }

  openRead(ino: number): Promise<FileHandle> {
    return open(this.pathOf(ino), 'r')
  }

  /** Opens a file, which is created if it is missing. `w` empties it, `a` appends, `r+` keeps its content. */
  async openWrite(ino: number, mode: 'truncate' | 'append' | 'keep'): Promise<FileHandle> {
    if (mode !== 'keep') return open(this.pathOf(ino), mode === 'truncate' ? 'w' : 'a')
    const created = await open(this.pathOf(ino), 'a')
    await created.close()
    return open(this.pathOf(ino), 'r+')
  }

  /** Deletes a file. Open handles stay readable, as on Linux. */
  async remove(ino: number): Promise<void> {
    await rm(this.pathOf(ino), { force: true })
  }

  /** Removes files without an inode, which a process left that died between two writes. */
  keepOnly(known: ReadonlySet<number>): void {
    for (const name of readdirSync(this.folder)) {
      if (!known.has(Number(name))) rmSync(join(this.folder, name), { force: true })
    }
  }

  /** Opens a file for random access, which the package manager needs. */
  pathOf(ino: number): string {
    return join(this.folder, String(ino))
  }
}
