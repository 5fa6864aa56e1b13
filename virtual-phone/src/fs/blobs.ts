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

  /** `w` empties the file, `a` appends, `r+` keeps it. Creates a missing file. */
  async openWrite(ino: number, mode: 'truncate' | 'append' | 'keep'): Promise<FileHandle> {
    if (mode !== 'keep') return open(this.pathOf(ino), mode === 'truncate' ? 'w' : 'a')
    const created = await open(this.pathOf(ino), 'a')
    await created.close()
    return open(this.pathOf(ino), 'r+')
  }

  /** Open handles stay readable, as on Linux. */
  async remove(ino: number): Promise<void> {
    await rm(this.pathOf(ino), { force: true })
  }

  /** Removes files without an inode, left by a process that died between two writes. */
  keepOnly(known: ReadonlySet<number>): void {
    for (const name of readdirSync(this.folder)) {
      if (!known.has(Number(name))) rmSync(join(this.folder, name), { force: true })
    }
  }

  /** For random access, as the package manager needs it. */
  pathOf(ino: number): string {
    return join(this.folder, String(ino))
  }
}
