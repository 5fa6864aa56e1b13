// A run of chaos starts this process with the other end of a pipe. When the run is killed, the pipe closes,
// and this process ends the remaining processes and mounts. Arguments: the folder of the run, and the folder
// of each rack.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import process from 'node:process'
import { setTimeout as sleep } from 'node:timers/promises'
import { cleanLeftovers, eraseCluster, identify, isAlive, openFolder } from '@phonerack/launcher'

const [dir, ...racks] = process.argv.slice(2)
const parent = identify(process.ppid)
let said = ''
process.stdin.setEncoding('utf8')
for await (const chunk of process.stdin) said += chunk

if (said !== 'done\n') {
  // The pipe closes a moment before the process ends.
  for (let tries = 0; parent && isAlive(parent) && tries < 200; tries++) await sleep(50)
  for (const each of [dir, ...racks]) if (existsSync(each)) await cleanLeftovers(openFolder(each))
  for (const line of readFileSync('/proc/mounts', 'utf8').split('\n')) {
    const [, place] = line.split(' ')
    if (!place?.startsWith(`${dir}/`)) continue
    const [program, ...words] = process.getuid() === 0 ? ['umount'] : ['sudo', '-n', 'umount']
    execFileSync(program, [...words, '--lazy', place])
  }
  eraseCluster(`${dir}/postgres`)
  rmSync(dir, { recursive: true, force: true })
}
