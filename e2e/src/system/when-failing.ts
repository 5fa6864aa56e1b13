/** After each try of a test that failed: what the parts of the systems logged of trouble meanwhile. A set-up file of vitest. */
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { afterEach, beforeEach, inject } from 'vitest'
import { z } from 'zod'
import { systemsOfThisFile, type System } from './system.js'

const parts = ['control-plane', 'host-agent', 'virtual-phones']
const warn = 40
/** The last of each part. */
const most = 15
const lineSchema = z.object({ level: z.number(), time: z.number() })

let since = 0
beforeEach(() => {
  since = Date.now()
})
afterEach(async ({ task }) => {
  if (task.result?.state !== 'fail') return
  const systems = [inject('system'), inject('bare'), ...systemsOfThisFile]
  const told = await Promise.all(systems.flatMap((system) => parts.map((part) => troubleOf(system, part))))
  process.stdout.write(`\nLogged while "${task.name}" failed:\n${told.join('') || '  nothing\n'}`)
})

async function troubleOf({ dir }: System, part: string): Promise<string> {
  const file = path.join(dir, 'logs', `${part}.log`)
  // Not there: a system that the test itself has stopped.
  if (!existsSync(file)) return ''
  const log = await readFile(file, 'utf8')
  // The last may be half written.
  const whole = log.split('\n').slice(0, -1)
  const lines = whole.filter((line) => {
    if (!line.startsWith('{')) return false
    const read = lineSchema.safeParse(JSON.parse(line))
    return read.success && read.data.level >= warn && read.data.time >= since
  })
  return lines
    .slice(-most)
    .map((line) => `  ${line.slice(0, 1500)}\n`)
    .join('')
}
