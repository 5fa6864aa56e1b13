/** A server that a killed parent left behind, as Postgres itself notes it in `postmaster.pid`. */
import { existsSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { commandLine, identify } from '../processes/identity.js'
import { stopProcess, type StopStep } from '../processes/stop.js'

/** SIGINT: end sessions and write a checkpoint. SIGQUIT: end at once, recover at the next start. */
export const postgresStop: readonly StopStep[] = [
  { signal: 'SIGINT', waitMs: 15_000 },
  { signal: 'SIGQUIT', waitMs: 5000 },
  { signal: 'SIGKILL', waitMs: 5000 },
]

/**
 * Ends the server that runs on `data`, if one does, so that there are never two.
 * A pid that another program has got meanwhile is left alone, and the note removed:
 * backends that outlive their postmaster still keep a new one out by their shared memory.
 */
export async function stopStaleServer(data: string): Promise<void> {
  const file = path.join(data, 'postmaster.pid')
  if (!existsSync(file)) return
  const pid = Number(readFileSync(file, 'utf8').split('\n', 1)[0])
  const identity = identify(pid)
  if (identity && runsOn(pid, data)) {
    await stopProcess(identity, postgresStop)
  } else {
    rmSync(file, { force: true })
  }
}

function runsOn(pid: number, data: string): boolean {
  const args = commandLine(pid)
  if (!args) return false
  const at = args.indexOf('-D')
  return path.basename(args[0] ?? '') === 'postgres' && at > 0 && args[at + 1] === data
}
