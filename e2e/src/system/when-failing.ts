/** After each try of a test that failed: what the parts of the systems logged of trouble meanwhile, said at once and with its error. A set-up file of vitest. */
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
/** Kept at a lower level: the lines that say why a phone was refused. */
const alwaysTold = ['a phone is unreachable', 'device state']
const lineSchema = z.object({ level: z.number(), time: z.number(), msg: z.string() })

let since = 0
beforeEach(() => {
  since = Date.now()
})
afterEach(async ({ task }) => {
  if (task.result?.state !== 'fail') return
  const systems = [inject('system'), inject('bare'), ...systemsOfThisFile]
  const told = await Promise.all(systems.flatMap((system) => parts.map((part) => troubleOf(system, part))))
  const logged = `Logged meanwhile:\n${told.join('') || '  nothing\n'}`
  process.stdout.write(`\n"${task.name}" failed. ${logged}`)
  const error = task.result.errors?.at(-1)
  if (error) error.message += `\n${logged}`
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
    return (
      read.success &&
      (read.data.level >= warn || alwaysTold.includes(read.data.msg)) &&
      read.data.time >= since
    )
  })
  return lines
    .slice(-most)
    .map((line) => `  ${line.slice(0, 1000)}\n`)
    .join('')
}
