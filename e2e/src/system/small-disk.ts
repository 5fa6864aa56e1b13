/**
 * A disk of a few megabytes mounted at a folder, for tests that fill it: a tmpfs. Linux only, as root or
 * where `sudo` needs no password.
 */
import { execFile } from 'node:child_process'
import { mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'

const execute = promisify(execFile)
const uid = process.getuid?.() ?? 0
const gid = process.getgid?.() ?? 0

async function asRoot(program: string, ...args: string[]): Promise<void> {
  const [name, all] = uid === 0 ? [program, args] : ['sudo', ['-n', program, ...args]]
  await execute(name, all, { timeout: 150_000 })
}

/** Whether this process may mount a disk. */
export async function canMount(): Promise<boolean> {
  const dir = await mkdtemp(path.join(tmpdir(), 'phonerack-mount-'))
  try {
    await (await mountSmallDisk(dir, 1 << 20)).remove()
    return true
  } catch {
    return false
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
}

export interface SmallDisk {
  /** Fills the disk. When this returns, no byte is free, except bytes that other processes have freed. */
  fill(): Promise<void>
  /** Deletes the files that `fill` wrote. */
  free(): Promise<void>
  /** Removes the disk and its content. */
  remove(): Promise<void>
}

/** Hides the content of `dir` until the disk is removed. @throws Error without the right to mount */
export async function mountSmallDisk(dir: string, bytes: number): Promise<SmallDisk> {
  await asRoot('mount', '-t', 'tmpfs', '-o', `size=${bytes},uid=${uid},gid=${gid},mode=700`, 'tmpfs', dir)
  const filler = path.join(dir, 'filler')
  return {
    async fill() {
      const file = await open(filler, 'w')
      try {
        for (let size = 65_536; size >= 1; size /= 2) await fillBy(size)
      } finally {
        await file.close()
      }
      async function fillBy(size: number): Promise<void> {
        try {
          for (;;) await file.writeFile(Buffer.alloc(size))
        } catch (error) {
          if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error
        }
      }
    },
    free: () => rm(filler, { force: true }),
    remove: () => asRoot('umount', '--lazy', dir),
  }
}
