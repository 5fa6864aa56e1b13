/** Writes that fail, and are repeated. */
import { createLogger, Counters } from '@phonerack/shared'
import { expect, it } from 'vitest'
import { createStepWriter } from './writer.js'

const log = createLogger('test')
log.level = 'silent'
const coreOf = () => ({ log, counters: new Counters() })

it('keeps the record of an answered batch while Postgres fails', async () => {
  const core = coreOf()
  const writer = createStepWriter(core)
  let isAway = true
  const written: number[] = []
  const write = (number: number) =>
    writer.write(() => {
      if (isAway) return Promise.reject(new Error('no connection to Postgres'))
      written.push(number)
      return Promise.resolve()
    }, 50)
  await write(1)
  await write(2)
  expect(written).toEqual([])
  isAway = false
  await expect.poll(() => written, { timeout: 10_000 }).toEqual([1, 2])
  expect(core.counters.read('step_write_failures')).toBeGreaterThanOrEqual(2)
  expect(core.counters.read('step_rows_lost')).toBe(0)
  await writer.close()
})

it('waits no longer than its limit for a write, which continues', async () => {
  const writer = createStepWriter(coreOf())
  let end = (): void => undefined
  const done: string[] = []
  const began = performance.now()
  await writer.write(async () => {
    await new Promise<void>((resolve) => (end = resolve))
    done.push('written')
  }, 20)
  expect(performance.now() - began).toBeLessThan(10_000)
  expect(done).toEqual([])
  end()
  await writer.close()
  expect(done).toEqual(['written'])
})

it('writes what waits when it closes, and counts what the database refuses', async () => {
  const core = coreOf()
  const writer = createStepWriter(core)
  let tries = 0
  await writer.write(() => {
    tries += 1
    return tries === 1 ? Promise.reject(new Error('away')) : Promise.resolve()
  }, 50)
  await writer.write(() => Promise.reject(Object.assign(new Error('refused'), { code: '22021' })), 50)
  await writer.close()
  expect(tries).toBe(2)
  expect(core.counters.read('step_rows_lost')).toBe(1)
})
