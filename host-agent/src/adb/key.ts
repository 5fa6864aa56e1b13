/**
 * The key by which phones recognise this host. All adb servers use it, so it is created before they start:
 * adb itself creates a missing key, and servers that start together would each create a key. Used by
 * `servers.ts`.
 */
import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Milliseconds. */
const limit = 60_000

/** Returns the folder of the key. */
export const adbKeyFolder = (home: string): string => join(home, '.android')

/** Creates the key when it is missing. Never replaces a key. @throws Error when adb fails */
export async function ensureAdbKey(bin: string, home: string): Promise<void> {
  const folder = adbKeyFolder(home)
  const key = join(folder, 'adbkey')
  if (existsSync(key)) return
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const draft = mkdtempSync(join(folder, 'new-'))
  try {
    const { PATH, LD_LIBRARY_PATH } = process.env
    await run(bin, ['keygen', join(draft, 'adbkey')], {
      timeout: limit,
      killSignal: 'SIGKILL',
      env: { PATH, LD_LIBRARY_PATH, HOME: draft },
    })
    renameSync(join(draft, 'adbkey.pub'), `${key}.pub`)
    renameSync(join(draft, 'adbkey'), key)
  } finally {
    rmSync(draft, { recursive: true, force: true })
  }
}
