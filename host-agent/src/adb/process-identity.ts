/**
 * Checks that a process ID still belongs to the same process: the system reuses IDs, so the agent never kills
 * a process by its ID alone. Used by `server.ts` and `leftovers.ts`.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { Progress } from '@phonerack/shared'
import { z } from 'zod'
import { writeJson, type Owner } from '../base/atomic-file.js'

const markSchema = z.object({ pid: z.int().positive(), identity: z.string().min(1) })

/** Returns the start time and command of a process; null when it does not run. */
export function processIdentity(pid: number): string | null {
  if (process.platform === 'linux') {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
      // The name in parentheses can contain any character; the start time (field 22) is the 20th field after it.
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
      if (fields[0] === 'Z') return null
      const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim()
      return `${fields[19] ?? ''} ${command}`
    } catch (error) {
      if (isMissing(error)) return null
      throw error
    }
  }
  try {
    const line = execFileSync('ps', ['-o', 'lstart=,command=', '-p', String(pid)], { timeout: 5000 })
      .toString()
      .trim()
    return line === '' ? null : line
  } catch (error) {
    // `ps` exits with 1 when the process does not exist.
    if (error instanceof Error && 'status' in error && error.status === 1) return null
    throw error
  }
}

/**
 * Stores the identity of a process that the agent started.
 * @param owner the file's owner; null for the user of this process
 */
export function markProcess(file: string, pid: number, owner: Owner | null = null): void {
  const identity = processIdentity(pid)
  if (identity !== null) writeJson(file, { pid, identity }, owner)
}

/** Returns the ID of the marked process; null when it no longer runs. */
export function findMarked(file: string): number | null {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    if (isMissing(error)) return null
    throw error
  }
  const mark = markSchema.safeParse(parseJson(text))
  if (!mark.success) return null
  return processIdentity(mark.data.pid) === mark.data.identity ? mark.data.pid : null
}

/** Returns the path of the agent's mark in its state folder. */
export const agentMark = (dataDir: string): string => path.join(dataDir, 'agent.json')

/** Returns the ID of the agent process that uses a state folder; null when no agent runs. */
export const runningAgent = (dataDir: string): number | null => findMarked(agentMark(dataDir))

/**
 * Whether the process with this identity still runs. Compares only the start time: an exiting process has no command any more
 * but still holds its ports.
 */
export function isRunning(pid: number, identity: string): boolean {
  const now = processIdentity(pid)
  if (now === null) return false
  if (process.platform !== 'linux') return now === identity
  return now.split(' ')[0] === identity.split(' ')[0]
}

/** Sends SIGTERM, and SIGKILL after two seconds, only to the process that has this ID now. */
export async function endProcess(pid: number): Promise<void> {
  const identity = processIdentity(pid)
  if (identity === null) return
  const sendSignal = (signal: NodeJS.Signals) => {
    try {
      process.kill(pid, signal)
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
    }
  }
  sendSignal('SIGTERM')
  for (let waited = 0; waited < 4000; waited += 20) {
    if (!isRunning(pid, identity)) return
    if (waited === 2000) sendSignal('SIGKILL')
    await Progress.for(1000).sleep(20)
  }
}

export const unmarkProcess = (file: string): void => rmSync(file, { force: true })

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch (error) {
    // A crash can truncate the mark.
    if (error instanceof SyntaxError) return null
    throw error
  }
}

const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ESRCH')
