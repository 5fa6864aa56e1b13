/** The agent's folder: private, and used by one agent at a time. */
import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, statSync } from 'node:fs'
import { agentMark, findMarked, markProcess, unmarkProcess } from '../adb/process-identity.js'
import type { Owner } from '../base/atomic-file.js'

/**
 * Locks the folder for this process; the returned function unlocks the folder. @throws Error when another running agent
 * holds the lock
 */
export function takeDataDir(dir: string): () => void {
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  chmodSync(dir, 0o700)
  const mark = agentMark(dir)
  const other = findMarked(mark)
  if (other !== null && other !== process.pid)
    throw new Error(`another agent (process ${other}) is using ${dir}`)
  markProcess(mark, process.pid, ownerOf(dir))
  return () => unmarkProcess(mark)
}

/**
 * Returns the owner for files that root writes into the folder, since the agent may run as that user; null when this
 * process does not run as root.
 */
export function ownerOf(dir: string): Owner | null {
  if (process.getuid?.() !== 0) return null
  const { uid, gid } = statSync(dir)
  return { uid, gid }
}

/**
 * Whether this user can read the file, which also depends on all of its parent folders. True when the check
 * itself fails.
 */
export function canRead(file: string, { uid, gid }: Owner): boolean {
  const words = ['-e', 'fs.accessSync(process.argv[1], fs.constants.R_OK)', file]
  return spawnSync(process.execPath, words, { uid, gid, cwd: '/', env: {}, timeout: 10_000 }).status !== 1
}
