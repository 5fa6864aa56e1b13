/**
 * A small process that holds the other end of a pipe to `up`: when `up` is killed, the pipe closes and the
 * guard stops the remaining processes of `up`.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { ownIdentity } from '../processes/identity.js'
import { writeRecord } from '../processes/record.js'
import type { Folder } from './folder.js'

export interface Guard {
  /** Ends the guard without a clean-up. */
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
  // A guard that has ended needs no message.
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
