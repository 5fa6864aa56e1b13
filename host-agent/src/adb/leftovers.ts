/** Ends the adb servers that a crashed agent left in its data folder, and removes their files. Used by `servers.ts`. */
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { Progress, type Logger } from '@phonerack/shared'
import { endProcess, findMarked, unmarkProcess } from './process-identity.js'
import { adbHome, adbSocketDir, isAdbSocket, isListening, socketOfMark } from './sockets.js'

/** Milliseconds in which the threads of an ended process can still hold its socket. */
const holdMs = 2000

/** Ends all leftover servers, including servers of phones that are no longer configured. Both folders must exist. */
export async function endLeftovers(dataDir: string, log: Logger): Promise<void> {
  const marks = readdirSync(adbHome(dataDir)).filter((name) => name.endsWith('.json'))
  await Promise.all(marks.map((name) => endLeftover(dataDir, name, log)))
  const dir = adbSocketDir(dataDir)
  for (const name of readdirSync(dir).filter(isAdbSocket))
    if (!(await isListening(join(dir, name)))) rmSync(join(dir, name), { force: true })
}

async function endLeftover(dataDir: string, name: string, log: Logger): Promise<void> {
  const mark = join(adbHome(dataDir), name)
  const pid = findMarked(mark)
  if (pid !== null) {
    log.warn({ pid }, 'an adb server of an earlier run of this agent is stopped')
    await endProcess(pid)
    const progress = Progress.for(holdMs)
    while (!progress.expired && (await isListening(socketOfMark(dataDir, name))))
      await Progress.for(1000).sleep(20)
  }
  unmarkProcess(mark)
}
