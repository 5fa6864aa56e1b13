/** `./scripts/chaos [--minutes N] [--seed N]`: exits with 0 only when no rule was violated. */
import { randomInt } from 'node:crypto'
import process from 'node:process'
import { parseArgs } from 'node:util'
import { tempos } from './faults/schedule.js'
import { run } from './run.js'
import { canMount } from '@phonerack/e2e/system/small-disk.js'
import { stamp } from './timeline.js'

const usage = 'Usage: ./scripts/chaos [--minutes 10] [--seed N] [--quiet]\n'

function number(name: string, text: string | undefined, otherwise: number): number {
  if (text === undefined) return otherwise
  const found = Number(text)
  if (!(found > 0) || !Number.isFinite(found)) {
    process.stderr.write(`--${name} must be a number above 0, not ${text}\n${usage}`)
    process.exit(2)
  }
  return found
}

const { values } = parseArgs({
  options: {
    minutes: { type: 'string' },
    seed: { type: 'string' },
    quiet: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})
if (values.help) {
  process.stdout.write(usage)
  process.exit(0)
}
const seed = Math.floor(number('seed', values.seed, randomInt(1, 2 ** 31)))
const minutes = number('minutes', values.minutes, 10)

const aborting = new AbortController()
for (const name of ['SIGINT', 'SIGTERM'] as const)
  process.on(name, () => {
    process.stdout.write(`${name}: stopping\n`)
    aborting.abort()
  })

const hasSmallDisk = await canMount()
if (!hasSmallDisk) process.stdout.write('No right to mount: no disk gets full in this run.\n')
process.stdout.write(`seed ${seed}\n`)
try {
  const report = await run({
    seed,
    durationMs: minutes * 60_000,
    restoreMs: 10_000,
    signal: aborting.signal,
    shape: { controls: 3, agents: 3, phones: 10, brokers: 3, hasSmallDisk },
    tempo: tempos.usual,
    tenants: 4,
    rentersPerTenant: 3,
    randomEveryMs: 250,
    say: (text) => {
      if (!values.quiet) process.stdout.write(`${stamp(Date.now())} ${text}\n`)
    },
  })
  process.stdout.write(`${JSON.stringify(report.figures, null, 2)}\n`)
  for (const text of report.texts) process.stdout.write(`\n${text}\n`)
  const again = `./scripts/chaos --minutes ${minutes} --seed ${report.seed}`
  process.stdout.write(`\nseed ${report.seed}: ${report.findings.length} violations. Repeat with ${again}\n`)
  process.exitCode = report.findings.length === 0 ? 0 : 1
} catch (error) {
  process.stdout.write(
    `seed ${seed}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
  )
  process.exitCode = aborting.signal.aborted ? 130 : 1
}
// Clients may still wait for answers, or for connections that no part closes.
process.exit()
