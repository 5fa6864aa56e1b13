/** Adds the warnings that the systems' parts logged during a failed test to its error, and prints them immediately. A set-up file of vitest. */
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { afterEach, beforeEach, inject } from 'vitest'
import { z } from 'zod'
import { systemsOfThisFile, type System } from '../system/system.js'

const parts = ['control-plane', 'host-agent', 'virtual-phones']
const warn = 40
/** The number of warnings per part, and of the messages below. */
const maxLines = 15
/** Messages below `warn` that give the reason why a phone was refused. */
const alsoShown = ['a phone is unreachable', 'the state of a device changed']
const lineSchema = z.object({ level: z.number(), time: z.number(), msg: z.string() })

// This file is loaded again for each test file, and the other files once per worker.
systemsOfThisFile.length = 0

let since = 0
beforeEach(() => {
  since = Date.now()
})
afterEach(async ({ task }) => {
  if (task.result?.state !== 'fail') return
  const systems = [...inject('systems'), ...systemsOfThisFile]
  const logs = await Promise.all(systems.flatMap((system) => parts.map((part) => warningsOf(system, part))))
  const logged = `Logged during the test:\n${logs.join('') || '  nothing\n'}`
  process.stdout.write(`\n"${task.name}" failed. ${logged}`)
  const error = task.result.errors?.at(-1)
  if (error) error.message += `\n${logged}`
})

async function warningsOf({ dir }: System, part: string): Promise<string> {
  const file = path.join(dir, 'logs', `${part}.log`)
  // The test has stopped this system itself.
  if (!existsSync(file)) return ''
  const log = await readFile(file, 'utf8')
  // The last line can be incomplete.
  const lines = log
    .split('\n')
    .slice(0, -1)
    .filter((line) => line.startsWith('{'))
    .flatMap((line) => {
      const { success, data } = lineSchema.safeParse(JSON.parse(line))
      return success && data.time >= since ? [{ line, ...data }] : []
    })
  const warnings = lines.filter(({ level }) => level >= warn).slice(-maxLines)
  // Many warnings at the same moment must not hide the warning that explains them.
  const others = lines.filter(({ level, msg }) => level < warn && alsoShown.includes(msg)).slice(-maxLines)
  return [...warnings, ...others]
    .toSorted((one, other) => one.time - other.time)
    .map(({ line }) => `  ${line.slice(0, 1000)}\n`)
    .join('')
}
