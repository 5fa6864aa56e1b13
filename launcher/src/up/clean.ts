/**
 * Stops the processes that a killed `up` left running in its folder. Used by the next `up`, by `down`, and by
 * the guard that outlives a killed `up`.
 */
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { identify, isAlive, type ProcessIdentity } from '../processes/identity.js'
import { readRecord, reapRecord } from '../processes/record.js'
import { stopProcess } from '../processes/stop.js'
import { postgresStop } from '../postgres/stale.js'
import { serviceNames, type Folder } from './folder.js'

/**
 * Set to the data directory for every child process of `up`, and inherited by their children (adb, ffmpeg).
 */
export const markVariable = 'PHONERACK_UP_DIR'

/** Stops leftover processes, and returns their names. */
export async function cleanLeftovers(folder: Folder): Promise<string[]> {
  const ended: string[] = []
  for (const name of serviceNames) {
    const file = folder.record(name)
    const record = readRecord(file)
    await reapRecord(file, name === 'postgres' ? postgresStop : undefined)
    if (record) ended.push(name)
  }
  for (const stray of markedProcesses(folder.dir)) {
    await stopProcess(stray)
    ended.push(`process ${stray.pid}`)
  }
  return ended
}

/** Waits for the guard of a killed `up`, which may still stop processes. */
export async function awaitGuard(folder: Folder): Promise<void> {
  const guard = readRecord(folder.guardRecord)
  const end = performance.now() + 45_000
  while (guard && isAlive(guard) && performance.now() < end) await sleep(50)
  await reapRecord(folder.guardRecord)
}

/** This works on Linux only; other systems rely on the records. */
function markedProcesses(dir: string): ProcessIdentity[] {
  if (process.platform !== 'linux') return []
  const found: ProcessIdentity[] = []
  for (const entry of readdirSync('/proc')) {
    const pid = Number(entry)
    if (!Number.isInteger(pid) || pid === process.pid || !isMarked(pid, dir)) continue
    const identity = identify(pid)
    if (identity) found.push(identity)
  }
  return found
}

/** The agent gives its adb server few variables, but a separate home. */
function isMarked(pid: number, dir: string): boolean {
  const marks = new Set([`${markVariable}=${dir}`, `HOME=${path.join(dir, 'host-agent', 'adb')}`])
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8')
      .split('\0')
      .some((variable) => marks.has(variable))
  } catch (error) {
    // The process belongs to another user, or has ended in the meantime.
    if (error instanceof Error && 'code' in error && unreadable.has(String(error.code))) return false
    throw error
  }
}

const unreadable: ReadonlySet<string> = new Set(['EACCES', 'EPERM', 'ENOENT', 'ESRCH'])
