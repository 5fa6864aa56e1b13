/**
 * A small process beside `up` that holds the other end of a pipe: when `up` is
 * killed, however hard, the pipe closes and the guard ends what `up` left.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { ownIdentity } from '../processes/identity.js'
import { writeRecord } from '../processes/record.js'
import type { Folder } from './folder.js'

export interface Guard {
  /** Lets it end, with nothing left for it to do. */
  release(): Promise<void>
}

export function startGuard(folder: Folder): Guard {
  const { pid, started } = ownIdentity()
  const script = path.join(import.meta.dirname, '..', 'guard.js')
  const child = spawn(process.execPath, [script, folder.dir, String(pid), started], {
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  // A guard that is gone has nothing to be told.
  child.stdin.on('error', () => undefined)
  const ended = once(child, 'exit')
  if (child.pid !== undefined) writeRecord(folder.guardRecord, child.pid)
  return {
    async release() {
      child.stdin.end('done\n')
      await ended
    },
  }
}
