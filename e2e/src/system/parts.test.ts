/** Parts end in order, once, even when a start is interrupted. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { Parts } from './parts.js'
import { startSystem, stopSystem } from './system.js'

it('ends the parts once, the last one first, even when one fails', async () => {
  const parts = new Parts()
  const ended: string[] = []
  for (const name of ['first', 'second', 'third'])
    parts.add(() => {
      ended.push(name)
      return name === 'second' ? Promise.reject(new Error('no second')) : Promise.resolve()
    })
  await expect(Promise.all([parts.endAll(), parts.endAll()])).rejects.toThrow('1 parts could not be ended')
  expect(ended).toEqual(['third', 'second', 'first'])
})

it('ends a part that was still starting, and skips one whose start failed', async () => {
  const parts = new Parts()
  let started: (part: { name: string }) => void = () => undefined
  const starting = new Promise<{ name: string }>((resolve) => (started = resolve))
  const ended: string[] = []
  const end = ({ name }: { name: string }): Promise<void> => {
    ended.push(name)
    return Promise.resolve()
  }
  void parts.start(starting, end)
  await expect(parts.start(Promise.reject(new Error('none')), end)).rejects.toThrow('none')
  const ending = parts.endAll()
  started({ name: 'late' })
  await ending
  expect(ended).toEqual(['late'])
})

/** The command lines of processes that name a folder. */
const processesOf = (dir: string): string[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const line = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
        return line.includes(dir) ? [line] : []
      } catch {
        // It has ended.
        return []
      }
    })

it('leaves no process of a system whose start was interrupted', async () => {
  const dir = await mkdtemp(path.join(tmpdir(), 'phonerack-e2e-'))
  // Even when the test fails.
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
