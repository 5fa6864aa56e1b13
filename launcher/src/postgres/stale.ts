/** A server that a killed parent left running, as Postgres records it in `postmaster.pid`. */
import { rmSync } from 'node:fs'
import path from 'node:path'
import { commandLine, identify } from '../processes/identity.js'
import { stopProcess, type StopStep } from '../processes/stop.js'
import { readRegular } from './regular.js'

/** SIGINT: end sessions and write a checkpoint. SIGQUIT: end immediately, recover at the next start. */
export const postgresStop: readonly StopStep[] = [
  { signal: 'SIGINT', waitMs: 15_000 },
  { signal: 'SIGQUIT', waitMs: 5000 },
  { signal: 'SIGKILL', waitMs: 5000 },
]

/**
 * Stops the server that runs on `data`, if any, so that two never run. If another program reuses the PID,
 * that program is left alone and the file removed: backends that outlive their postmaster still block a new
 * postmaster by their shared memory.
 */
export async function stopStaleServer(data: string): Promise<void> {
  const file = path.join(data, 'postmaster.pid')
  const pid = readPid(file)
  if (pid === undefined) return
  const identity = identify(pid)
  if (identity && runsOn(pid, data)) {
    await stopProcess(identity, postgresStop)
  } else {
    rmSync(file, { force: true })
  }
}

/** Undefined: the file does not exist. NaN: Postgres did not write it. */
function readPid(file: string): number | undefined {
  const read = readRegular(file)
  if (read === 'absent') return undefined
  return read === 'irregular' ? Number.NaN : Number(read.toString().split('\n', 1)[0])
}

function runsOn(pid: number, data: string): boolean {
  const args = commandLine(pid)
  if (!args) return false
  const at = args.indexOf('-D')
  return path.basename(args[0] ?? '') === 'postgres' && at > 0 && args[at + 1] === data
}
