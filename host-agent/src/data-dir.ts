/** The agent's folder: private, and used by one agent at a time. */
import { mkdirSync, chmodSync } from 'node:fs'
import { join } from 'node:path'
import { findMarked, markProcess, unmarkProcess } from './adb/process-identity.js'

/**
 * Takes the folder for this process; the returned function gives it back.
 * @throws Error when another living agent has it
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
