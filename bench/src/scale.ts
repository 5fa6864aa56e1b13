// bench: 100, 1,000 and 10,000 running phones on one control plane (`--phones N` for one size)
/**
 * Many running phones on one control plane with its Postgres and NATS: creates, lists, parks, idle cost and memory, with
 * synthetic agents in this process. `./scripts/bench scale [--phones N] [--phone-ms MS] [--save FILE --label NAME]`;
 * `./scripts/bench scale --draw FILE` draws the curves of a saved file as an SVG of the same name. Linux only.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { z } from 'zod'
import { drawScale, type SavedScale } from './scale-curves.js'
import { measureScale, type ScaleFigures } from './scale-run.js'

const sizes = [100, 1000, 10_000]
/** Milliseconds that a real phone takes to start: it wakes, and the agent reads its screen. */
const phoneMs = 300

const { values } = parseArgs({
  options: {
    phones: { type: 'string' },
    'phone-ms': { type: 'string' },
    save: { type: 'string' },
    label: { type: 'string' },
    draw: { type: 'string' },
  },
})

const savedSchema = z.array(z.object({ label: z.string(), figures: z.record(z.string(), z.number()) }))
const whole = z.coerce.number().int().min(0)

async function readSaved(file: string): Promise<SavedScale[]> {
  try {
    return savedSchema.parse(JSON.parse(await readFile(file, 'utf8')))
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
    throw error
  }
}

/** Replaces the saved figures of the same label and size. */
async function save(file: string, label: string, figures: ScaleFigures): Promise<void> {
  const others = (await readSaved(file)).filter(
    (each) => each.label !== label || each.figures['phones'] !== figures.phones,
  )
  await writeFile(file, `${JSON.stringify([...others, { label, figures }], null, 2)}\n`)
}

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(0)} MB`
const pair = (p50: number, p99: number): string => `${p50.toFixed(1)} (${p99.toFixed(1)})`

function print(of: ScaleFigures): void {
  const rows: [string, string][] = [
    ['creates/s, until ready', of.createsPerSecond.toFixed(1)],
    ['CPU of a create: control plane, Postgres, ms', pair(of.createCpuMs, of.createPostgresMs)],
    ['create until ready, ms, p50 (p99)', pair(of.createP50, of.createP99)],
    ['list of 50 phones, ms, p50 (p99)', pair(of.listP50, of.listP99)],
    [`lateness of ${of.parks} parks, ms, p50 (p99)`, pair(of.parkP50, of.parkP99)],
    ['idle: control plane, ms of CPU a second', of.idleCpuMs.toFixed(1)],
    ['idle: Postgres, ms of CPU a second', of.idlePostgresMs.toFixed(1)],
    ['idle: all agents, ms of CPU a second', of.idleAgentsMs.toFixed(1)],
    ['idle: transactions a second', of.idleTransactions.toFixed(1)],
    ['idle: rows written a phone an hour', of.rowsPerPhoneHour.toFixed(1)],
    ['idle: bytes of WAL a phone an hour', of.walBytesPerPhoneHour.toFixed(0)],
    ['memory of the control plane, idle (highest)', `${megabytes(of.memory)} (${megabytes(of.memoryPeak)})`],
    ['load', of.load.toFixed(1)],
  ]
  process.stdout.write(
    `\n${of.phones} phones on ${of.hosts} hosts, ${of.phoneMs} ms for a start and a park\n`,
  )
  for (const [name, value] of rows) process.stdout.write(`${name.padEnd(46)} ${value}\n`)
}

if (values.draw !== undefined) {
  await writeFile(values.draw.replace(/\.json$/, '.svg'), drawScale(await readSaved(values.draw)))
} else {
  const asked = values.phones === undefined ? sizes : [whole.parse(values.phones)]
  for (const phones of asked) {
    const say = (text: string): boolean => process.stderr.write(`${phones}: ${text}\n`)
    const figures = await measureScale(phones, whole.parse(values['phone-ms'] ?? phoneMs), say)
    print(figures)
    if (values.save !== undefined) await save(values.save, values.label ?? 'now', figures)
  }
}
