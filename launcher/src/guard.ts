/**
 * The guard's main program; see up/guard-process.ts. Arguments: the data directory, and the PID and start
 * time of `up`.
 */
import { rmSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { isAlive } from './processes/identity.js'
import { cleanLeftovers } from './up/clean.js'
import { openFolder } from './up/folder.js'

const [dir, pid, started] = process.argv.slice(2)
if (dir === undefined || pid === undefined || started === undefined)
  throw new Error('usage: guard DIR PID STARTED')
const up = { pid: Number(pid), started }
const folder = openFolder(dir)

let said = ''
process.stdin.setEncoding('utf8')
for await (const chunk of process.stdin) said += String(chunk)

if (said !== 'done\n') {
  // The pipe closes a moment before the process ends.
  for (let tries = 0; isAlive(up) && tries < 200; tries++) await sleep(50)
  await cleanLeftovers(folder)
  rmSync(folder.upFile, { force: true })
}
rmSync(folder.guardRecord, { force: true })
