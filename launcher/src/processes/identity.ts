/**
 * Identifies the process of a recorded PID by PID and start time, since the system reuses PIDs. Checked
 * before any signal is sent.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

export interface ProcessIdentity {
  pid: number
  /** Opaque; equal only for the same process of the same boot. */
  started: string
}

/** The living process with this PID, or null. A zombie does not count as alive. */
export function identify(pid: number): ProcessIdentity | null {
  if (!Number.isSafeInteger(pid) || pid <= 0) return null
  const started = process.platform === 'linux' ? startedOnLinux(pid) : startedByPs(pid)
  return started === null ? null : { pid, started }
}

export function isAlive(identity: ProcessIdentity): boolean {
  return identify(identity.pid)?.started === identity.started
}

/** Identity of the current process. */
export function ownIdentity(): ProcessIdentity {
  const identity = identify(process.pid)
  if (!identity) throw new Error('cannot read the start time of this process')
  return identity
}

let bootId: string | undefined

/** `/proc/PID/stat`: the state is the first field after the name in brackets, the start time the 20th. */
function startedOnLinux(pid: number): string | null {
  const stat = readText(`/proc/${pid}/stat`)
  if (stat === null) return null
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const [state, ticks] = [fields[0], fields[19]]
  if (ticks === undefined || state === 'Z' || state === 'X') return null
  bootId ??= readText('/proc/sys/kernel/random/boot_id')?.trim() ?? 'unknown-boot'
  return `${bootId}/${ticks}`
}

function startedByPs(pid: number): string | null {
  try {
    const line = execFileSync('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], {
      encoding: 'utf8',
      timeout: 30_000,
    })
    const match = /^\s*(\S+)\s+(.+?)\s*$/.exec(line)
    return match?.[2] && !match[1]?.startsWith('Z') ? match[2] : null
  } catch (error) {
    // `ps` exits with 1 when the process does not exist.
    if (error instanceof Error && 'status' in error && error.status === 1) return null
    throw error
  }
}

/** The command line, split into arguments where the system keeps them; null when it cannot be read. */
export function commandLine(pid: number): string[] | null {
  if (process.platform === 'linux') {
    return readText(`/proc/${pid}/cmdline`)?.split('\0').filter(Boolean) ?? null
  }
  try {
    return execFileSync('ps', ['-o', 'args=', '-p', String(pid)], { encoding: 'utf8', timeout: 30_000 })
      .trim()
      .split(' ')
  } catch (error) {
    if (error instanceof Error && 'status' in error && error.status === 1) return null
    throw error
  }
}

function readText(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    // ESRCH: the process ended between open and read.
    if (
      error instanceof Error &&
      'code' in error &&
      ['ENOENT', 'ESRCH', 'EACCES'].includes(String(error.code))
    )
      return null
    throw error
  }
}
