/**
 * Tells whether a process id still means the process that it meant: ids are
 * used again, and nothing may be ended by an id alone. Used by `server.ts`.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { z } from 'zod'

const markSchema = z.object({ pid: z.int().positive(), identity: z.string().min(1) })

/** Start time and command of a process, the same for its whole life; null when there is none. */
export function processIdentity(pid: number): string | null {
  if (process.platform === 'linux') {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
      // The name stands in parentheses and may hold anything; field 22 (start time) is the 20th after it.
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
    // `ps` exits 1 when there is no such process.
    if (error instanceof Error && 'status' in error && error.status === 1) return null
    throw error
  }
}

/** Notes which process is ours. */
export function markProcess(file: string, pid: number): void {
  const identity = processIdentity(pid)
  if (identity !== null) writeFileSync(file, JSON.stringify({ pid, identity }), { mode: 0o600 })
}

/** The marked process, if it still is that process. */
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

/**
 * Whether the process that had this identity still runs. One that is about to end has lost its command already
 * and still holds its ports: only the start time decides.
 */
export function isRunning(pid: number, identity: string): boolean {
  const now = processIdentity(pid)
  if (now === null) return false
  if (process.platform !== 'linux') return now === identity
  return now.split(' ')[0] === identity.split(' ')[0]
}

export const unmarkProcess = (file: string): void => rmSync(file, { force: true })

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch (error) {
    // A mark that was cut off by a crash names nobody.
    if (error instanceof SyntaxError) return null
    throw error
  }
}

const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ESRCH')
