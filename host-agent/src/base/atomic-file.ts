/**
 * Writes files that are never partial: a draft is written and then renamed. The draft's name is random and
 * its file is new, so a program that runs as root does not follow a link that the owner of the folder made.
 */
import { randomBytes } from 'node:crypto'
import {
  closeSync,
  fchownSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'

/** User and group of a file. */
export interface Owner {
  uid: number
  gid: number
}

/**
 * Writes JSON that only the owner can read. It survives a crash of the process.
 * @param owner null for the user of this process
 */
export function writeJson(path: string, value: unknown, owner: Owner | null = null): void {
  replace(path, JSON.stringify(value), { owner })
}

/**
 * Writes a file that every user can read, for reports. Replaces a link at `path`, and does not change the
 * link's target.
 */
export function writeText(path: string, text: string): void {
  replace(path, text, { mode: 0o644 })
}

/**
 * Like `writeJson`, but synced to the disk before it returns, so that the file survives a power failure. This
 * takes milliseconds.
 */
export function writeJsonSynced(path: string, value: unknown): void {
  replace(path, JSON.stringify(value), { isSynced: true })
  // Syncs the folder's entry for the new name, which is cached separately.
  const folder = openSync(dirname(path), 'r')
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}

function replace(
  path: string,
  text: string,
  {
    owner = null,
    mode = 0o600,
    isSynced = false,
  }: { owner?: Owner | null; mode?: number; isSynced?: boolean },
): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const draft = `${path}.${randomBytes(8).toString('hex')}.new`
  const file = openSync(draft, 'wx', mode)
  try {
    try {
      writeFileSync(file, text)
      if (owner !== null) fchownSync(file, owner.uid, owner.gid)
      if (isSynced) fsyncSync(file)
    } finally {
      closeSync(file)
    }
    renameSync(draft, path)
  } catch (error) {
    rmSync(draft, { force: true })
    throw error
  }
}

/**
 * Null when the file does not exist.
 * @throws SyntaxError when it is not valid JSON
 */
export function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as unknown
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw error
  }
}
