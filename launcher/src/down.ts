/** `./scripts/down`: stops the `up` of a data directory and the processes that a killed `up` left running. */
import { existsSync, rmSync } from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { stopProcess } from './processes/stop.js'
import { eraseCluster } from './postgres/index.js'
import { awaitGuard, cleanLeftovers } from './up/clean.js'
import { lockHolder, openFolder } from './up/folder.js'

const usage = `Usage: ./scripts/down [--data DIR] [--erase]

Stops the Phonerack that is running on DIR (default: .phonerack in the checkout).

  --erase   then deletes DIR and its database
`
const root = path.resolve(import.meta.dirname, '..', '..')

function readArgs() {
  try {
    return parseArgs({
      options: {
        data: { type: 'string' },
        erase: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    }).values
  } catch (error) {
    process.stderr.write(`down: ${error instanceof Error ? error.message : String(error)}\n${usage}`)
    process.exit(2)
  }
}

const args = readArgs()
if (args.help) {
  process.stdout.write(usage)
  process.exit(0)
}
const dir = path.resolve(args.data ?? path.join(root, '.phonerack'))
if (!existsSync(path.join(dir, 'run'))) {
  process.stdout.write(`Nothing is running on ${dir}\n`)
  process.exit(0)
}
const folder = openFolder(dir)
const up = lockHolder(folder)
// The control plane takes up to 38 s, Postgres 25 s, the other services less.
if (up)
  await stopProcess(up, [
    { signal: 'SIGTERM', waitMs: 100_000 },
    { signal: 'SIGKILL', waitMs: 5000 },
  ])
await awaitGuard(folder)
const ended = await cleanLeftovers(folder)
rmSync(folder.upFile, { force: true })
rmSync(folder.lockFile, { force: true })
if (up) process.stdout.write(`Stopped Phonerack on ${dir}\n`)
else if (ended.length > 0)
  process.stdout.write(`Stopped leftover processes of a killed run on ${dir}: ${ended.join(', ')}\n`)
else process.stdout.write(`Nothing is running on ${dir}\n`)
if (args.erase) {
  eraseCluster(path.join(folder.dir, 'postgres'))
  rmSync(folder.dir, { recursive: true, force: true })
  process.stdout.write(`Erased ${dir}\n`)
}
