/** The agent's folder: private, and used by one agent at a time. */
import { chmodSync, chownSync, mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { findMarked, markProcess, unmarkProcess } from './adb/process-identity.js'

/**
 * Locks the folder for this process; the returned function unlocks it.
 * @throws Error when another running agent holds it
 */
export function takeDataDir(dir: string): () => void {
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  chmodSync(dir, 0o700)
  const mark = join(dir, 'agent.json')
  const other = findMarked(mark)
  if (other !== null && other !== process.pid)
    throw new Error(`another agent (process ${other}) is using ${dir}`)
  markProcess(mark, process.pid)
  return () => unmarkProcess(mark)
}

/** Gives a file that root wrote to the owner of the folder, since the agent may run as that user. */
export function giveToOwner(dir: string, file: string): void {
  if (process.getuid?.() !== 0) return
  const { uid, gid } = statSync(dir)
  chownSync(file, uid, gid)
}
