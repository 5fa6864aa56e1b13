/** The start of a system is interrupted. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { startSystem, stopSystem } from '../system/system.js'

/** The command lines of processes that name a folder. */
const processesOf = (dir: string): string[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const line = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
        return line.includes(dir) ? [line] : []
      } catch {
        // The process has ended.
        return []
      }
    })

it('leaves no process of a system whose start was interrupted', async () => {
  const dir = await mkdtemp(path.join(tmpdir(), 'phonerack-e2e-'))
  // The cleanup runs even when the test fails.
  onTestFinished(() => stopSystem({ dir }))
  const stop = new AbortController()
  const starting = startSystem({ virtualPhones: 1, dir, signal: stop.signal })
  const failed = expect(starting).rejects.toThrow('scripts/up ended with')
  await expect.poll(() => existsSync(path.join(dir, 'run/postgres.json')), { timeout: 200_000 }).toBe(true)
  stop.abort()
  await failed
  await stopSystem({ dir })
  expect(existsSync(dir)).toBe(false)
  expect(processesOf(dir)).toEqual([])
})
